/** FX: Apply Rewrite to Graph: the original and the rewritten graph side by side, and a file of the latter. */

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import * as path from "node:path";
import { test } from "node:test";

import { session, traced } from "./harness/session";
import { until } from "./harness/wait";

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

/** The tooltip of the list lies over its buttons. */
const press = (name: string): Promise<void> => current().window.button(name).dispatchEvent("click");

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
    await press("Save…");
    const file = path.join(workspace, "conv_block_rewritten.py");
    await until("a name is proposed", async () =>
      (await window.picks.input.inputValue()).endsWith(file) ? true : undefined,
    );
    await window.picks.accept();
    await until("the file is written", () => (existsSync(file) ? true : undefined));
    assert.match(readFileSync(file, "utf8"), /class ConvBlock/);
    await window.tab("conv_block_rewritten.py").waitFor();
    await window.message("Saved conv_block_rewritten.py");
    await press("Show FX Graph");
    await window.tab("ConvBlock – FX graph").waitFor();
    await window.closeTab("ConvBlock – FX graph");
  }));

test("why a graph is not rewritten, and where", (t) =>
  traced(t, current(), async () => {
    const window = await current().open({ workspace, file: "folded.py:17" });
    await window.sees("x: f32[2]");
    await window.run("FX: Apply Rewrite to Graph");
    await window.message("torch.fx.symbolic_trace cannot go on: symbolically traced variables");
    await press("Show");
    await window.cursorIs(17, 33, "x.sum() > 0".length);
  }));
