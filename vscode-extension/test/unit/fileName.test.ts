import assert from "node:assert/strict";
import { test } from "node:test";

import { rewrittenName } from "../../src/panel/fileName";

test("the file of a rewritten graph has a name that Python can import", () => {
  const names = ["Net", "ConvBlock", "Encoder.Block2D", "GPT"].map(rewrittenName);
  assert.deepEqual(names, [
    "net_rewritten.py",
    "conv_block_rewritten.py",
    "encoder_block2_d_rewritten.py",
    "gpt_rewritten.py",
  ]);
});
