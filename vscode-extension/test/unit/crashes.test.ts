import assert from "node:assert/strict";
import { test } from "node:test";

import { Crashes } from "../../src/crashes";

const MINUTE = 60_000;

test("a few in a row are too many", () => {
  const crashes = new Crashes();
  assert.deepEqual(
    [0, 1, 2, 3].map((time) => crashes.again(time)),
    [true, true, true, false],
  );
});

test("those long ago do not count, nor those before the user asked for a restart", () => {
  const crashes = new Crashes();
  assert.ok([0, 2, 4, 6, 8, 10].every((minutes) => crashes.again(minutes * MINUTE)));
  crashes.again(10 * MINUTE);
  crashes.forget();
  assert.ok(crashes.again(10 * MINUTE));
});
