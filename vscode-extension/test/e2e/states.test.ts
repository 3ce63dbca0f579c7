/** What the graph panel shows where there is no graph, half of one, or too much of it. */

import assert from "node:assert/strict";
import * as path from "node:path";
import { test } from "node:test";

import { Panel } from "./harness/panel";
import { FIXTURES } from "./harness/places";
import { session, traced } from "./harness/session";

const current = session();
const panel = (): Panel => new Panel(current().window);

/** More operations than anybody looks at, in modules; and in one run, so that they are made in seconds. */
const HUGE = `"""A model with 50,000 operations."""

import torch
from torch import nn


class Layer(nn.Module):
    def forward(self, x):
        for _ in range(500):
            x = x + 1
        return x


class Huge(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(Layer() for _ in range(100))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


Huge()(torch.zeros(2))
`;

test("half a graph is shown up to the node that failed, which is marked", (t) =>
  traced(t, current(), async () => {
    const files = { "huge.py": HUGE, "pyproject.toml": "[tool.fx-lsp]\ntimeout = 120\n" };
    const workspace = current().profile.workspace([path.join(FIXTURES, "small")], files);
    const window = await current().open({ workspace, file: "half.py:7" });
    await window.squiggle("error").waitFor();
    await window.run("FX: Show FX Graph");
    await panel().drawn();
    const cause = "`self.second` takes 5 features in the last dim, and `h` (f32[3, 6]) has 6";
    const remark = panel().remark(`Only half a graph: ${cause}`);
    await remark.waitFor();
    await remark.getByRole("button", { name: "Show", exact: true }).click();
    await panel().says("Linear, failed");
    await panel().card.getByText("This operation failed").waitFor();
    await panel().shot("half");
    await remark.getByRole("button", { name: "Source" }).click();
    await window.toEditor();
    await window.cursorIs(16, 30, "self.second(h)".length);
    await window.closeTab("Half – FX graph");
  }));

test("a model without operations is said to be empty", (t) =>
  traced(t, current(), async () => {
    const { window } = current();
    await window.openFile("nothing.py:7");
    await window.run("FX: Show FX Graph");
    assert.match(await panel().notice("The graph is empty"), /\w+/);
    await panel().shot("empty");
    await window.closeTab("Nothing – FX graph");
  }));

test("a class that nothing calls is told how to be called", (t) =>
  traced(t, current(), async () => {
    const { window } = current();
    await window.openFile("lonely.py:6");
    await window.run("FX: Show FX Graph");
    await panel().notice("No graph to show");
    await panel().shot("none");
    await panel().button("Add an example").click();
    await window.sees("# fx: Lonely(width=width)(f32[B, ...])");
    await window.undo();
    await window.closeTab("Lonely – FX graph");
  }));

test("a model with 50,000 operations is shown and walked through", (t) =>
  traced(t, current(), async () => {
    const { window } = current();
    await window.openFile("huge.py:16");
    const start = Date.now();
    await window.run("FX: Show FX Graph");
    await panel().drawn();
    await panel().find("Layer");
    await panel().says("Layer, 100 times, closed, f32[2]");
    t.diagnostic(`from the command to the graph of 50,000 operations ${((Date.now() - start) / 1000).toFixed(1)} s`);
    await panel().key("Enter");
    await panel().says("Layer, 100 times, open, f32[2]");
    await panel().shot("huge");
    await window.closeTab("Huge – FX graph");
  }));

test("a panel says that the server does not run, and restarts it", (t) =>
  traced(t, current(), async () => {
    const workspace = current().profile.workspace([path.join(FIXTURES, "small")]);
    const settings = { "fx-lsp.serverInterpreter": "/nonexistent/python" };
    const window = await current().open({ workspace, file: "net.py:7", settings });
    await window.status.is("FX: error");
    await window.run("FX: Show FX Graph");
    const said = await panel().notice("The FX server did not answer");
    assert.match(said, /\/nonexistent\/python/);
    await panel().shot("no-server-graph");
    current().profile.writeSettings();
    await panel().drawn();
    await panel().find("Linear");
    await panel().says("Linear, f32[3, 4]");
  }));

test("switched off, the panel says so and leads to the settings", (t) =>
  traced(t, current(), async () => {
    const { window } = current();
    current().profile.writeSettings({ "fx-lsp.run": false });
    await window.status.is("FX: off");
    await panel().notice("Running is switched off");
    await panel().shot("off-graph");
    current().profile.writeSettings();
    await panel().drawn();
  }));
