import assert from "node:assert/strict";
import { test } from "node:test";

import { forServer } from "../../src/settings";

const ENVIRONMENT = "/env/bin/python";
const WRITTEN = { interpreter: "", run: true, codeLens: false, hints: { result: false } };

test("the Python extension's environment stands in for an empty setting", () => {
  const trusted = { trusted: true, environment: ENVIRONMENT };
  assert.deepEqual(forServer(WRITTEN, trusted), { ...WRITTEN, interpreter: ENVIRONMENT });
  assert.equal(forServer({ ...WRITTEN, interpreter: "/mine" }, trusted)["interpreter"], "/mine");
  assert.equal(forServer(WRITTEN, { trusted: true, environment: undefined })["interpreter"], "");
});

test("nothing runs where there is no trust, whatever is written", () => {
  const sent = forServer({ ...WRITTEN, interpreter: "evil" }, { trusted: false, environment: ENVIRONMENT });
  assert.deepEqual(sent, { ...WRITTEN, run: false, interpreter: "" });
});

test("what is no object is no settings", () => {
  for (const written of [undefined, null, 3, "x", []]) {
    assert.deepEqual(forServer(written, { trusted: true, environment: undefined }), { interpreter: "" });
  }
});
