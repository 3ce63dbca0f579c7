/** Files in odd places: outside the workspace, not saved, in several folders of one window. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import * as path from "node:path";
import { test } from "node:test";

import { Panel } from "./harness/panel";
import { FIXTURES } from "./harness/places";
import { session, traced } from "./harness/session";
import { click } from "./harness/wait";
import type { Workbench } from "./harness/workbench";

const current = session();
const SMALL = path.join(FIXTURES, "small");

test("a file outside the workspace is shown like any other", (t) =>
  traced(t, current(), async () => {
    const { profile } = current();
    const outside = profile.workspace([SMALL]);
    const workspace = profile.workspace([], { "notes.py": "import torch\n" });
    const window = await current().open({ workspace, file: path.join(outside, "net.py") });
    await window.sees("h: f32[3, 4] = self.fc(x)");
    const panel = new Panel(window);
    await click(window.lens("Show FX graph"), panel.canvas);
    await panel.drawn();
    await panel.find("Linear");
    await panel.says("Linear, f32[3, 4]");
    await panel.shot("outside");
  }));

test("an untitled buffer is told to be saved first", (t) =>
  traced(t, current(), async () => {
    const { window } = current();
    await window.run("File: New Untitled Text File");
    await window.type("import torch\n\n\nclass Net(torch.nn.Module):\n    pass\n");
    await window.run("Change Language Mode");
    await window.picks.input.fill("Python");
    await window.picks.pick(/^Python/);
    await window.run("FX: Show FX Graph");
    assert.match(await window.message("FX: save this file first"), /Models are run from files\./);
    await window.shot("untitled");
  }));

test("two folders in one window each have their models", (t) =>
  traced(t, current(), async () => {
    const { profile } = current();
    const [one, two] = [profile.workspace([SMALL]), profile.workspace([SMALL])];
    const file = path.join(profile.folder("workspaces"), "both.code-workspace");
    writeFileSync(file, JSON.stringify({ folders: [{ path: one }, { path: two }] }));
    const opened = async (): Promise<Workbench> => {
      const window = await current().open({ workspace: file, file: path.join(one, "net.py") });
      await window.sees("h: f32[3, 4] = self.fc(x)");
      return window;
    };
    let window = await opened();
    if (await window.page.getByText("No Folder Opened").isVisible()) {
      window = await opened(); // VS Code read the workspace file before it could, and found no folder in it
    }
    const roots = window.page.locator(".explorer-folders-view .monaco-list-row");
    await roots.getByText(path.basename(two), { exact: true }).waitFor();
    await window.openFile(`${path.basename(two)}/half.py`);
    await window.sees("h: f32[3, 6] = self.first(x)");
    await window.squiggle("error").waitFor();
    await window.shot("two-folders");
  }));
