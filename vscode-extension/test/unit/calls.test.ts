import assert from "node:assert/strict";
import { test } from "node:test";

import { callItems } from "../../src/calls";

const RUN = { call: "Net()(f32[2, 3])", origin: "call", engine: "fake", status: "traced", reason: null, shown: false };

test("origin, engine and status are said; the one shown first is marked", () => {
  const failed = { ...RUN, origin: "default", engine: "", status: "failed", reason: "no such file" };
  assert.deepEqual(callItems([RUN, { ...RUN, engine: "real", shown: true }, failed]), [
    { label: "Net()(f32[2, 3])", description: "from call · fake tensors · traced", index: 0 },
    { label: "$(check) Net()(f32[2, 3])", description: "from call · real tensors · traced", index: 1 },
    { label: "Net()(f32[2, 3])", description: "from default · failed", detail: "no such file", index: 2 },
  ]);
});
