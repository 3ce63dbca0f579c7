import assert from "node:assert/strict";
import { test } from "node:test";

import { bytes, count, fileOf, flops, plural, share } from "../../webview/model/format";
import { amount, most, warmth } from "../../webview/model/heat";
import { kindOfNode } from "../../webview/model/kinds";
import { flip } from "../../webview/model/child";
import { Model } from "../../webview/model/model";
import { Sketch } from "./sketch";

test("numbers have three digits and a unit", () => {
  assert.deepEqual([0, 7, 999, 1000, 1234, 12_345, 123_456, 999_600, 1.5e9].map(count), [
    "0",
    "7",
    "999",
    "1 k",
    "1.23 k",
    "12.3 k",
    "123 k",
    "1 M",
    "1.5 G",
  ]);
  assert.deepEqual([12, 2_359_296].map(bytes), ["12 B", "2.36 MB"]);
  assert.deepEqual([12, 905_969_664].map(flops), ["12 FLOPs", "906 MFLOPs"]);
});

test("shares, counts and names of files", () => {
  assert.deepEqual(
    [share(1, 3), share(1, 20), share(1, 10_000), share(0, 5), share(5, 0)],
    ["33 %", "5.0 %", "<0.1 %", "0 %", "0 %"],
  );
  assert.deepEqual([plural(1, "node"), plural(1200, "node")], ["1 node", "1,200 nodes"]);
  assert.equal(fileOf("file:///a/my%20net.py"), "my net.py");
});

test("the heat of a scope is that of all inside", () => {
  const sketch = new Sketch();
  const scope = sketch.scope(0, "Block", "h.0", [], { flops: 40, parameters: 8 });
  const node = sketch.node(0, "linear", [], { flops: 10, bytes: 3 });
  const model = new Model(sketch.drawing());
  assert.deepEqual([amount(model, "flops", flip(scope)), amount(model, "flops", node)], [40, 10]);
  assert.deepEqual([amount(model, "bytes", node), amount(model, "none", node)], [3, 0]);
  assert.equal(most(model, "flops", [flip(scope), node]), 40);
  assert.equal(most(model, "none", [flip(scope), node]), 0);
});

test("what takes nothing is cold, what takes most is hot, the rest is between", () => {
  assert.deepEqual([warmth(0, 8), warmth(2, 8), warmth(8, 8), warmth(0, 0)], [0, 0.5, 1, 0]);
});

test("families of operations", () => {
  const sketch = new Sketch();
  const kind = (title: string, more = {}): string =>
    kindOfNode(sketch.nodes[sketch.node(0, title, [], more)] ?? (undefined as never));
  const kinds = Object.fromEntries(
    ["conv2d", "Linear", "LayerNorm", "relu", "ReLU6", "softmax", "max_pool2d", "view", "[ ]", "+", "@"].map(
      (title) => [title, kind(title)],
    ),
  );
  assert.deepEqual(kinds, {
    conv2d: "weight",
    Linear: "weight",
    LayerNorm: "norm",
    relu: "activation",
    ReLU6: "activation",
    softmax: "activation",
    max_pool2d: "pool",
    view: "shape",
    "[ ]": "shape",
    "+": "operation",
    "@": "operation",
  });
  assert.equal(kind("fancy", { parameters: 4 }), "weight");
  assert.equal(kind("x", { role: "input" }), "input");
  assert.equal(kind("mask", { role: "reference" }), "reference");
  assert.equal(kind("linear", { failed: true }), "failed");
});
