import assert from "node:assert/strict";
import { test } from "node:test";

import { flip } from "../../webview/model/child";
import { Model } from "../../webview/model/model";
import { search } from "../../webview/model/search";
import { repeated, Sketch } from "./sketch";

test("finds titles, names, targets, paths and shapes, whatever the case", () => {
  const sketch = new Sketch();
  const mlp = sketch.scope(0, "MLP", "h.mlp");
  const relu = sketch.node(mlp, "relu", [], { name: "relu_7", target: "torch.nn.functional.relu", value: 0 });
  const linear = sketch.node(mlp, "Linear", [relu], { target: "h.mlp.c_fc", value: -1 });
  const model = new Model(sketch.drawing());
  assert.deepEqual(search(model, "RELU"), [relu]);
  assert.deepEqual(search(model, "relu_7"), [relu]);
  assert.deepEqual(search(model, "functional"), [relu]);
  assert.deepEqual(search(model, "c_fc"), [linear]);
  assert.deepEqual(search(model, "f32[2, 3]"), [relu]);
  assert.deepEqual(search(model, "h.mlp"), [flip(mlp), relu, linear]);
  assert.deepEqual(search(model, "mlp relu"), [relu], "all words have to be there");
  assert.deepEqual(search(model, "  "), []);
  assert.deepEqual(search(model, "conv"), []);
});

test("of a repeat the first member stands for all", () => {
  const { sketch, members } = repeated(3);
  const model = new Model(sketch.drawing());
  assert.deepEqual(search(model, "linear"), [model.scope(members[0] ?? 0).children[0]]);
});

test("what only a later member has is found there", () => {
  const { sketch, members } = repeated(3);
  const model = new Model(sketch.drawing());
  const found = search(model, "h.1");
  const member = members[1] ?? 0;
  assert.deepEqual(found, [flip(member), ...model.scope(member).children]);
});
