import assert from "node:assert/strict";
import { test } from "node:test";

import type { SandboxLayer, Status } from "../../src/protocol";
import { broken, fromServer, look, STARTING } from "../../src/state";

const IDLE: Status = { state: "idle", done: 0, total: 0, message: "", sandbox: "", layers: [] };
const HOLDS: SandboxLayer = { name: "limits", status: "active", why: "" };
const MISSING: SandboxLayer = { name: "landlock-base", status: "missing", why: "Linux 5.4 has no Landlock" };
const OFF: SandboxLayer = { name: "seccomp-child", status: "off", why: "your configuration" };

function text(status: Partial<Status>): string {
  return look(fromServer({ ...IDLE, ...status })).text;
}

function tooltip(status: Partial<Status>): string {
  return look(fromServer({ ...IDLE, ...status })).tooltip;
}

test("every state of the server has its text", () => {
  assert.equal(look(STARTING).text, "$(loading~spin) FX: starting");
  assert.equal(text({ state: "tracing", done: 2, total: 7 }), "$(loading~spin) FX: tracing 3 of 7");
  assert.equal(text({ state: "tracing", done: 7, total: 7 }), "$(loading~spin) FX: tracing 7 of 7");
  assert.equal(text({ state: "tracing" }), "$(loading~spin) FX: tracing");
  assert.equal(text({}), "$(check) FX");
  assert.equal(text({ state: "off" }), "$(circle-slash) FX: off");
  assert.equal(text({ state: "untrusted" }), "$(shield) FX: untrusted");
  assert.equal(text({ state: "error", message: "no torch" }), "$(error) FX: error");
});

test("of a sandbox that is whole nothing is said", () => {
  assert.equal(text({ layers: [HOLDS, HOLDS] }), "$(check) FX");
  assert.doesNotMatch(tooltip({ layers: [HOLDS] }), /sandbox/i);
});

test("a sandbox that is not whole is said, with what it lacks and why", () => {
  assert.equal(text({ layers: [HOLDS, MISSING, OFF] }), "$(unlock) FX: sandbox partial");
  assert.equal(text({ layers: [MISSING, OFF] }), "$(unlock) FX: sandbox off");
  const said = tooltip({ layers: [HOLDS, MISSING, OFF] }).replaceAll("\\", "");
  assert.match(said, /^- landlock-base is missing: Linux 5.4 has no Landlock$/m);
  assert.match(said, /^- seccomp-child is off: your configuration$/m);
  assert.doesNotMatch(said, /limits/);
  assert.match(look(fromServer({ ...IDLE, layers: [MISSING] })).sentence, /sandbox is not whole/);
});

test("where nothing runs, nothing is said of the sandbox", () => {
  for (const state of ["off", "untrusted"]) {
    assert.doesNotMatch(tooltip({ state, layers: [MISSING] }), /sandbox/i);
  }
});

test("the tooltip says what is the matter", () => {
  assert.match(look(broken("No Python was found")).tooltip, /No Python was found/);
});

test("what user code wrote is text in the tooltip", () => {
  assert.doesNotMatch(tooltip({ state: "error", message: "![x](https://evil/p.png)" }), /!\[x\]\(/);
});

test("untrusted: what to do is said in the words of this editor", () => {
  const { tooltip, sentence } = look(fromServer({ ...IDLE, state: "untrusted", message: "run `fx-lsp trust`" }));
  assert.doesNotMatch(tooltip + sentence, /fx-lsp trust/);
});

test("colours draw attention only where something is to be done", () => {
  assert.equal(look(fromServer(IDLE)).severity, "normal");
  assert.equal(look(fromServer({ ...IDLE, state: "untrusted" })).severity, "warning");
  assert.equal(look(broken("x")).severity, "error");
});
