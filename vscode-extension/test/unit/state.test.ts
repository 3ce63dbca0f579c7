import assert from "node:assert/strict";
import { test } from "node:test";

import type { Status } from "../../src/protocol";
import { broken, fromServer, look, STARTING } from "../../src/state";

const IDLE: Status = { state: "idle", done: 0, total: 0, message: "", sandbox: "" };

function text(status: Partial<Status>, trusted = true): string {
  return look(fromServer({ ...IDLE, ...status }, trusted)).text;
}

test("every state of the server has its text", () => {
  assert.equal(look(STARTING).text, "$(loading~spin) FX: starting");
  assert.equal(text({ state: "tracing", done: 2, total: 7 }), "$(loading~spin) FX: tracing 3 of 7");
  assert.equal(text({ state: "tracing", done: 7, total: 7 }), "$(loading~spin) FX: tracing 7 of 7");
  assert.equal(text({ state: "tracing" }), "$(loading~spin) FX: tracing");
  assert.equal(text({}), "$(check) FX");
  assert.equal(text({ sandbox: "There is no network namespace." }), "$(unlock) FX: sandbox off");
  assert.equal(text({ state: "off" }), "$(circle-slash) FX: off");
  assert.equal(text({ state: "off" }, false), "$(shield) FX: untrusted");
  assert.equal(text({ state: "error", message: "no torch" }), "$(error) FX: error");
});

test("the tooltip says what is the matter", () => {
  assert.match(look(broken("No Python was found.")).tooltip, /No Python was found\./);
  assert.match(look(fromServer({ ...IDLE, sandbox: "No user namespaces." }, true)).tooltip, /No user namespaces\./);
});

test("colours draw attention only where something is to be done", () => {
  assert.equal(look(fromServer(IDLE, true)).severity, "normal");
  assert.equal(look(fromServer({ ...IDLE, state: "off" }, false)).severity, "warning");
  assert.equal(look(broken("x")).severity, "error");
});
