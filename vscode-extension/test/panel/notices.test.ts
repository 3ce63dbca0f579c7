import assert from "node:assert/strict";
import { test } from "node:test";

import type { GraphReply } from "../../src/protocol";
import { noticeOf, remarksOf } from "../../webview/ui/notices";
import { Sketch } from "./sketch";

function reply(state: string, more: Partial<GraphReply> = {}): GraphReply {
  const about = {
    uri: "file:///net.py",
    name: "Net",
    names: ["Net"],
    level: "module",
    levels: [],
    example: 0,
    examples: [],
  };
  return { state, message: "Because.", ...about, engine: "", failure: null, drawing: null, ...more };
}

test("every state without a graph says what is the matter and what to do", () => {
  const told = (state: string, trusted = true): [string | undefined, string[]] => {
    const notice = noticeOf(reply(state), trusted);
    return [notice?.title, notice?.actions.map(([title]) => title) ?? []];
  };
  assert.deepEqual(told("empty"), ["The graph is empty", ["Add an example"]]);
  assert.deepEqual(told("failed"), ["Net failed before its first operation", ["Try again"]]);
  assert.deepEqual(told("none"), ["No graph to show", ["Add an example"]]);
  assert.deepEqual(told("off"), ["Running is switched off", ["Open settings"]]);
  assert.deepEqual(told("off", false), ["This workspace is not trusted", ["Manage workspace trust"]]);
  assert.deepEqual(told("unavailable"), ["Nothing can be run here", ["Run doctor", "Open settings", "Try again"]]);
  assert.deepEqual(told("new"), ["This graph cannot be shown", ["Show log"]]);
});

test("nothing is offered for a class that is not there", () => {
  assert.deepEqual(noticeOf(reply("none", { names: [] }), true)?.actions, []);
});

test("a graph needs no notice, but half a graph a remark with the node that failed", () => {
  const place = { uri: "file:///net.py", range: { start: { line: 1, character: 0 }, end: { line: 1, character: 1 } } };
  const half = reply("graph", { drawing: new Sketch().drawing(), failure: { message: "no match", place, node: 3 } });
  assert.equal(noticeOf(half, true), undefined);
  assert.deepEqual(remarksOf(half, new Sketch().drawing()), [
    { kind: "error", text: "Only half a graph: no match", node: 3 },
  ]);
});

test("what was left out or not seen is said", () => {
  const texts = remarksOf(reply("graph"), { ...new Sketch().drawing(), omitted: 2000, unseen: 1 }).map(
    ({ text }) => text,
  );
  assert.deepEqual(texts, [
    "2,000 operations left out: the graph is too big.",
    "1 value made by code that torch tells nothing of: where they come from is unknown.",
  ]);
});
