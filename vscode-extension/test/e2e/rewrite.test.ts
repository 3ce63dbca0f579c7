/** FX: Apply Rewrite to Graph: the original and the rewritten graph side by side, and a file of the latter. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as path from "node:path";
import { test } from "node:test";

import { session, traced } from "./harness/session";
import { retried, TRY_MS } from "./harness/wait";

const current = session();

const FOLDED = `import torch
from torch import nn


class ConvBlock(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, bias=False)
        self.norm = nn.BatchNorm2d(4)

    def forward(self, x):
        return self.norm(self.conv(x)).relu()


class Odd(nn.Module):
    def forward(self, x):
        return -x if x.sum() > 0 else x


ConvBlock()(torch.zeros(2, 3, 8, 8))
Odd()(torch.zeros(2))
`;
let workspace = "";

test("both graphs stand side by side, with what was measured", (t) =>
  traced(t, current(), async () => {
    const files = { "folded.py": FOLDED, "pyproject.toml": "[tool.fx-lsp]\ntimeout = 120\n" };
    workspace = current().profile.workspace([], files);
    const window = await current().open({ workspace, file: "folded.py:12" });
    await window.sees("x: f32[2, 3, 8, 8]");
    await window.run("FX: Apply Rewrite to Graph");
    await window.tab("ConvBlock: Fold batch norms into the layers before them").waitFor();
    await window.sees("self.norm = torch.nn.BatchNorm2d(4)");
    await window.sees("('conv', 'norm', 1e-05, 0),");
    await window.shot("rewrite");
    const said = await window.message("conv + norm: ");
    assert.match(said, /\d+ runs of old and new in double precision, equal/);
  }));

test("it is saved beside the model, and has a graph like any other", (t) =>
  traced(t, current(), async () => {
    const { window } = current();
    await window.button("Save…").click();
    await retried("the file is saved", async () => {
      await window.page.keyboard.press("Enter");
      readFileSync(path.join(workspace, "conv_block_rewritten.py"));
      await window.tab("conv_block_rewritten.py").waitFor({ timeout: TRY_MS });
    });
    assert.match(readFileSync(path.join(workspace, "conv_block_rewritten.py"), "utf8"), /class ConvBlock/);
    await window.message("Saved conv_block_rewritten.py");
    await window.button("Show FX Graph").click();
    await window.tab("ConvBlock – FX graph").waitFor();
    await window.closeTab("ConvBlock – FX graph");
  }));

test("why a graph is not rewritten, and where", (t) =>
  traced(t, current(), async () => {
    const window = await current().open({ workspace, file: "folded.py:17" });
    await window.sees("x: f32[2]");
    await window.run("FX: Apply Rewrite to Graph");
    await window.message("torch.fx.symbolic_trace cannot go on: symbolically traced variables");
    await window.button("Show").click();
    await window.cursorIs(17, 22, "x.sum() > 0".length);
  }));
