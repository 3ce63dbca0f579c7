import assert from "node:assert/strict";
import { test } from "node:test";

import { forServer } from "../../src/settings";

const ENVIRONMENT = "/env/bin/python";
const WRITTEN = { interpreter: "", run: true, codeLens: false, hints: { result: false } };

test("the Python extension's environment stands in for an empty setting", () => {
  assert.deepEqual(forServer(WRITTEN, ENVIRONMENT), { ...WRITTEN, interpreter: ENVIRONMENT });
  assert.equal(forServer({ ...WRITTEN, interpreter: "/mine" }, ENVIRONMENT)["interpreter"], "/mine");
  assert.equal(forServer(WRITTEN, undefined)["interpreter"], "");
});

test("running is the user's own switch, and trust is no setting", () => {
  assert.equal(forServer({ ...WRITTEN, run: false }, ENVIRONMENT)["run"], false);
  assert.equal("trusted" in forServer(WRITTEN, undefined), false);
});

test("what is no object is no settings", () => {
  for (const written of [undefined, null, 3, "x", []]) {
    assert.deepEqual(forServer(written, undefined), { interpreter: "" });
  }
});
