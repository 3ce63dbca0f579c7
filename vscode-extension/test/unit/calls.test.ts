import assert from "node:assert/strict";
import { test } from "node:test";

import { callItems, entries } from "../../src/calls";

const RUN = { call: "Net()(f32[2, 3])", origin: "call", engine: "fake", status: "traced", reason: null, shown: false };

test("origin, engine and status are said; the one shown first is marked", () => {
  const command = "fx.chooseExample";
  const failed = { ...RUN, origin: "default", engine: "", status: "failed", reason: "no such file" };
  assert.deepEqual(callItems([RUN, { ...RUN, engine: "real", shown: true }, failed]), [
    { label: "Net()(f32[2, 3])", description: "from call · fake tensors · traced", index: 0, command },
    { label: "$(check) Net()(f32[2, 3])", description: "from call · real tensors · traced", index: 1, command },
    { label: "Net()(f32[2, 3])", description: "from default · failed", detail: "no such file", index: 2, command },
  ]);
});

test("calls of a line stand below the examples, by what they are of", () => {
  const call = { of: "Block", label: "f32[3, 8]", modules: ["blocks.0", ""], shown: true };
  const calls = [call, { ...call, shown: false, modules: [] }, { ...call, of: "h" }];
  assert.deepEqual(entries({ examples: [], calls }), [
    { title: "Examples" },
    { title: "Calls: Block" },
    { label: "$(check) f32[3, 8]", description: "blocks.0", index: 0, command: "fx.chooseCall" },
    { label: "f32[3, 8]", description: "", index: 1, command: "fx.chooseCall" },
    { title: "Calls: h" },
    { label: "$(check) f32[3, 8]", description: "blocks.0", index: 2, command: "fx.chooseCall" },
  ]);
  assert.deepEqual(entries({ examples: [], calls: [] }), []);
});
