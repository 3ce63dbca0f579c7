import assert from "node:assert/strict";
import { test } from "node:test";

import { Choices, type Storage } from "../../src/choices";

function storage(kept?: unknown): Storage {
  const values = new Map<string, unknown>([["chosen", kept]]);
  return {
    get: (key) => values.get(key),
    update: (key, value) => Promise.resolve(void values.set(key, value)),
  };
}

test("what was chosen is kept by file, the newest last", async () => {
  const choices = new Choices(storage());
  assert.deepEqual(choices.all(), {});
  await choices.keep("file:///a.py", { calls: [1] });
  await choices.keep("file:///b.py", { calls: [2] });
  await choices.keep("file:///a.py", { calls: [3] });
  assert.deepEqual(Object.entries(choices.all()), [
    ["file:///b.py", { calls: [2] }],
    ["file:///a.py", { calls: [3] }],
  ]);
});

test("it does not grow without end, and nonsense in the storage is nothing", async () => {
  const choices = new Choices(storage("nonsense"));
  for (let number = 0; number < 510; number += 1) {
    await choices.keep(`file:///${String(number)}.py`, number);
  }
  const kept = Object.values(choices.all());
  assert.equal(kept.length, 500);
  assert.equal(kept.at(-1), 509);
});
