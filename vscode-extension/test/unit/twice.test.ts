import assert from "node:assert/strict";
import { test } from "node:test";

import { twice } from "../e2e/harness/twice";

/** Runs files whose results are given, attempt by attempt. */
async function ran(results: Readonly<Record<string, readonly boolean[]>>): Promise<[object, string[], string]> {
  const attempts: string[] = [];
  const said: string[] = [];
  const run = (file: string): Promise<boolean> => {
    const number = attempts.filter((one) => one === file).length;
    attempts.push(file);
    return Promise.resolve(results[file]?.[number] ?? assert.fail(`attempt ${String(number)} of ${file}`));
  };
  const outcomes = await twice(Object.keys(results), run, (line) => said.push(line));
  return [Object.fromEntries(outcomes), attempts, said.join("\n")];
}

test("what passes runs once, and nothing is said", async () => {
  const [outcomes, attempts, said] = await ran({ a: [true], b: [true] });
  assert.deepEqual([outcomes, attempts, said], [{ a: "passed", b: "passed" }, ["a", "b"], ""]);
});

test("what fails and then passes is called flaky", async () => {
  const [outcomes, attempts, said] = await ran({ a: [false, true], b: [true] });
  assert.deepEqual([outcomes, attempts], [{ a: "flaky", b: "passed" }, ["a", "a", "b"]]);
  assert.match(said, /FLAKY: a/);
});

test("what fails twice has failed", async () => {
  const [outcomes, attempts, said] = await ran({ a: [false, false], b: [true] });
  assert.deepEqual([outcomes, attempts], [{ a: "failed", b: "passed" }, ["a", "a", "b"]]);
  assert.match(said, /FAILED twice: a/);
  assert.doesNotMatch(said, /FLAKY/);
});
