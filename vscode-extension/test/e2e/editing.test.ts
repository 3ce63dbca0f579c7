/** What the editor shows while one writes: hints, hover, lenses, diagnostics, quick fixes and the choice of a call. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as path from "node:path";
import { test } from "node:test";

import { BROKEN, TOKENS } from "./harness/examples";
import { EXAMPLES, FIXTURES } from "./harness/places";
import { IDLE } from "./harness/sandbox";
import { session, traced } from "./harness/session";
import { click, until } from "./harness/wait";

const current = session();

test("a fresh VS Code shows the hints of the demo", (t) =>
  traced(t, current(), async () => {
    const workspace = current().profile.workspace([EXAMPLES]);
    const start = Date.now();
    const window = await current().open({ workspace, file: `${TOKENS.file}:${String(TOKENS.line)}` });
    const text = Date.now();
    await window.sees(TOKENS.hint);
    const hints = Date.now();
    t.diagnostic(
      `from opening ${TOKENS.file} in a fresh VS Code to its text ${seconds(text - start)}, ` +
        `from its text to hints on screen ${seconds(hints - text)}`,
    );
    await window.status.is(IDLE);
    await window.shot("hints");
  }));

test("hover tells operation, inputs and output of an expression", (t) =>
  traced(t, current(), async () => {
    const window = current().window;
    const said = await window.hover(TOKENS.hint, "wte", /embedding/i);
    assert.match(said, /i64\[4, 64\]/);
    assert.match(said, /f32\[4, 64, 768\]/);
    await window.shot("hover");
    await window.dismissHover();
  }));

test("the lens above a class has input, output and parameters", (t) =>
  traced(t, current(), async () => {
    const window = current().window;
    await window.goTo(103);
    await window.lens("124.5 M params").waitFor();
    await window.lens("Show FX graph").waitFor();
    await window.shot("lens");
  }));

test("the failing expression is marked, with the reason", (t) =>
  traced(t, current(), async () => {
    const window = current().window;
    await window.openFile(`${BROKEN.file}:${String(BROKEN.line)}`);
    await window.squiggle("error").waitFor();
    await window.hover("self.fc1(x)", "fc1", BROKEN.says);
    await window.shot("diagnostic");
    await window.dismissHover();
    await window.sees("x: f32[4, 2304] = torch.flatten(x, 1)");
  }));

test("quick fixes are tried while the cursor is at the failure, and those that mend nothing go away", (t) =>
  traced(t, current(), async () => {
    const window = current().window;
    await window.goTo(BROKEN.line, 24);
    const first = await window.quickFixes();
    const kept = await until("only what mends", async () => {
      const titles = await window.quickFixes();
      return titles.length < first.length ? titles : undefined;
    });
    assert.match(kept[0] ?? "", /^Change in_features of `nn.Linear` to `(2304|64 \* 6 \* 6)`/);
  }));

test("a quick fix that mends the failure is run before it is written", (t) =>
  traced(t, current(), async () => {
    const window = current().window;
    await window.goTo(BROKEN.line, 24);
    await window.quickFix("Change in_features of `nn.Linear` to `2304`");
    await window.sees("self.fc1 = nn.Linear(2304, 120)");
    await window.sees("x: f32[4, 120] = F.relu(self.fc1(x))");
    await window.shot("mended");
    await window.undo();
    await window.squiggle("error").waitFor();
  }));

test("a quick fix writes an example, and what was typed gets hints before it is saved", (t) =>
  traced(t, current(), async () => {
    const workspace = current().profile.workspace([path.join(FIXTURES, "small")]);
    const window = await current().open({ workspace, file: "lonely.py:6:7" });
    await window.squiggle("hint").waitFor();
    await window.quickFix("Write an example for Lonely");
    await window.sees("# fx: Lonely(width=width)(f32[B, ...])");
    await window.shot("example-written");
    await window.replaceLine(6, "# fx: Lonely(width=f32[23])(f32[B:4, 23])");
    await window.sees("y: f32[4, 2] = self.fc(x)");
    assert.doesNotMatch(readFileSync(path.join(workspace, "lonely.py"), "utf8"), /# fx:/);
    await window.save();
    await until("the example is on the disk", () =>
      readFileSync(path.join(workspace, "lonely.py"), "utf8").includes("# fx: Lonely(width=f32[23])")
        ? true
        : undefined,
    );
  }));

test("FX: Add Example writes the call that was found above the class", (t) =>
  traced(t, current(), async () => {
    const window = current().window;
    await window.openFile("net.py:7");
    await window.sees("h: f32[3, 4] = self.fc(x)");
    await window.run("FX: Add Example");
    await window.sees("# fx: Net()(torch.zeros(3, 8))");
    await window.undo();
    await window.seesNoMore("# fx: Net()(torch.zeros(3, 8))");
    await window.sees("h: f32[3, 4] = self.fc(x)");
  }));

test("FX: Choose Call shows the shapes of another call in hints and lens", (t) =>
  traced(t, current(), async () => {
    const { window } = current();
    await window.openFile("two.py");
    await window.sees("h: f32[3|5, 4] = self.fc(x)");
    await window.lens("f32[3, 8] → f32[3, 4]").waitFor();
    await window.lens("example 1 of 2").waitFor();
    await window.run("FX: Choose Call");
    await window.picks.entry("Twice()(f32[3, 8])").waitFor();
    await window.shot("choose-call");
    await window.picks.pick("Twice()(f32[5, 8])");
    await window.sees("h: f32[5, 4] +1 = self.fc(x)");
    await window.lens("f32[5, 8] → f32[5, 4]").waitFor();
    await click(window.lens("example 2 of 2"), window.picks.input);
    await window.picks.pick("Twice()(f32[3, 8])");
    await window.sees("h: f32[3, 4] +1 = self.fc(x)");
    await window.lens("example 1 of 2").waitFor();
  }));

test("sizes that may vary get names, where they are wanted", (t) =>
  traced(t, current(), async () => {
    const workspace = current().profile.workspace([EXAMPLES]);
    const settings = { "fx-lsp.dimNames": true };
    const file = `${TOKENS.file}:${String(TOKENS.line)}`;
    const window = await current().open({ workspace, file, settings });
    await window.sees(TOKENS.hint.replace("f32[4, 64, 768]", "f32[B, T, 768]"));
    await window.shot("names");
  }));

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
