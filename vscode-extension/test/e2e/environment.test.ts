/** Where the interpreter comes from when no setting names one: the Python extension's environment, or the workspace's. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { after, test } from "node:test";

import { FIXTURES, PYTHON } from "./harness/places";
import { session, traced } from "./harness/session";

const folder = mkdtempSync(path.join(tmpdir(), "fx-lsp-active-"));
const active = path.join(folder, "active");
writeFileSync(active, PYTHON);
after(() => rmSync(folder, { recursive: true }));

const current = session({
  environment: { PATH: "/nonexistent", FX_TEST_ACTIVE: active },
  extensions: [path.join(FIXTURES, "python-extension")],
});
const UNSET = { "fx-lsp.interpreter": "", "fx-lsp.serverInterpreter": "" };

test("the Python extension's environment runs server and models, and another one as soon as it is chosen", (t) =>
  traced(t, current(), async () => {
    const workspace = current().profile.workspace([path.join(FIXTURES, "small")]);
    const window = await current().open({ workspace, file: "net.py", settings: UNSET });
    await window.sees("h: f32[3, 4] = self.fc(x)");
    const bare = path.join(folder, "bare");
    execFileSync(PYTHON, ["-m", "venv", "--without-pip", bare]);
    writeFileSync(active, path.join(bare, "bin/python"));
    await window.status.is("FX: error");
    await window.status.says(bare);
    writeFileSync(active, PYTHON);
    await window.sees("h: f32[3, 4] = self.fc(x)");
  }));

test("a workspace without torch starts nothing, until a file imports it", (t) =>
  traced(t, current(), async () => {
    const workspace = current().profile.workspace([], { "plain.py": "print(1)\n" });
    const window = await current().open({ workspace, file: "plain.py" });
    await window.run("Developer: Show Running Extensions");
    const running = window.page.locator(".runtime-extensions-editor .extension").filter({ hasText: "FX" });
    await running
      .filter({ hasText: /Activation: \d+ms/ })
      .first()
      .waitFor();
    assert.equal(await window.status.item.count(), 0);
    const servers = (): unknown[] =>
      current()
        .editor.processes()
        .filter(({ command }) => command.includes("serve.py"));
    assert.deepEqual(servers(), []);
    await window.leaveModal();
    await window.replaceLine(1, "import torch");
    await window.status.is("FX");
    assert.equal(servers().length, 1);
  }));
