import assert from "node:assert/strict";
import { test } from "node:test";

import { about, spoken, type About } from "../../webview/model/about";
import { flip } from "../../webview/model/child";
import { Model } from "../../webview/model/model";
import { repeated, Sketch } from "./sketch";

function facts({ sections }: About): Record<string, string> {
  return Object.fromEntries(sections.flatMap(({ facts: all }) => all.map(({ name, text }) => [name, text])));
}

test("everything known about a node", () => {
  const sketch = new Sketch();
  sketch.places = [
    { uri: "file:///net.py", range: { start: { line: 11, character: 0 }, end: { line: 11, character: 9 } } },
  ];
  const mlp = sketch.scope(0, "MLP", "h.mlp", [], {});
  const relu = sketch.node(mlp, "relu");
  const linear = sketch.node(mlp, "linear", [relu], {
    code: "linear = torch.linear(relu, w)",
    inputs: [0],
    place: 0,
    parameters: 12,
    flops: 2400,
    bytes: 64,
    held: [{ name: "h.mlp.weight", value: 0, parameter: true }],
  });
  const model = new Model(sketch.drawing());
  assert.deepEqual(facts(about(model, linear)), {
    Source: "net.py:12",
    Name: "linear_1",
    Op: "call_function",
    Target: "torch.linear",
    Code: "linear = torch.linear(relu, w)",
    Value: "f32[2, 3]",
    Device: "cpu",
    relu_0: "f32[2, 3]",
    "h.mlp.weight": "f32[2, 3]",
    Parameters: "12",
    FLOPs: "2.4 kFLOPs",
    Activations: "64 B",
  });
  const input = about(model, linear).sections.find(({ title }) => title === "Inputs")?.facts[0];
  assert.equal(input?.to, relu);
});

test("costs say how much of the whole they are", () => {
  const sketch = new Sketch();
  (sketch.scopes[0] ?? { flops: 0 }).flops = 200;
  const node = sketch.node(0, "conv", [], { flops: 50 });
  assert.equal(facts(about(new Model(sketch.drawing()), node))["FLOPs"], "50 FLOPs · 25 % of all");
});

test("a reference leads to what it stands for", () => {
  const sketch = new Sketch();
  const mask = sketch.node(0, "tril");
  const reference = sketch.node(0, "tril", [], { role: "reference", origin: mask });
  const found = about(new Model(sketch.drawing()), reference);
  assert.equal(found.what, "reference");
  const link = found.sections.flatMap(({ facts: all }) => all).find(({ name }) => name === "Stands for");
  assert.deepEqual([link?.text, link?.to], ["tril_0", mask]);
});

test("a repeat says how many it is and leads to its first member", () => {
  const { sketch, repeat, members } = repeated(12);
  const found = about(new Model(sketch.drawing()), flip(repeat));
  assert.equal(facts(found)["Repeated"], "12 times; the first stands for all");
  const first = found.sections.flatMap(({ facts: all }) => all).find(({ name }) => name === "First");
  assert.deepEqual([first?.text, first?.to], ["h.0", flip(members[0] ?? 0)]);
});

test("what a screen reader says", () => {
  const { sketch, repeat, members } = repeated(12);
  const failed = sketch.node(0, "linear", [], { failed: true, value: -1 });
  const model = new Model(sketch.drawing());
  const linear = model.scope(members[0] ?? 0).children[0] ?? -1;
  assert.equal(spoken(model, linear, false), "linear, f32[2, 3], in h.0");
  assert.equal(spoken(model, flip(repeat), false), "Block, 12 times, closed, f32[2, 3], in Net");
  assert.equal(spoken(model, failed, false), "linear, failed, in Net");
});
