import assert from "node:assert/strict";
import { test } from "node:test";

import type { Choice, ToPage } from "../../src/panel/messages";
import { fileName } from "../../src/panel/fileName";
import { pageHtml } from "../../src/panel/html";
import { placesAt } from "../../src/panel/places";
import { Session } from "../../src/panel/session";
import { CONTENT_MODIFIED, type GraphReply, type Place } from "../../src/protocol";
import { Sketch } from "./sketch";

const URI = "file:///net.py";

function reply(more: Partial<GraphReply> = {}): GraphReply {
  return {
    state: "graph",
    message: "",
    uri: URI,
    name: "Net",
    names: ["Net", "Block"],
    level: "module",
    levels: [],
    example: 0,
    examples: [],
    engine: "fake",
    failure: null,
    drawing: new Sketch().drawing(),
    ...more,
  };
}

function place(line: number, from: number, to: number, endLine = line, uri = URI): Place {
  return { uri, range: { start: { line, character: from }, end: { line: endLine, character: to } } };
}

/** A session whose requests are answered one by one. */
function session(choice: Choice = { uri: URI }): {
  session: Session;
  sent: ToPage[];
  asked: { method: string; params: object; answer: (value: unknown) => void; fail: (error: Error) => void }[];
} {
  const sent: ToPage[] = [];
  const asked: ReturnType<typeof session>["asked"] = [];
  const request = <R>(method: string, params: object): Promise<R> =>
    new Promise((answer, fail) => asked.push({ method, params, answer: (value) => answer(value as R), fail }));
  return {
    session: new Session(
      choice,
      request,
      (message) => sent.push(message),
      () => true,
      (uri) => uri.replaceAll("%2D", "-"),
    ),
    sent,
    asked,
  };
}

function types(sent: readonly ToPage[]): string[] {
  return sent.map(({ type }) => type);
}

test("asks for what was chosen, and remembers the name of what it got", async () => {
  const { session: one, sent, asked } = session({ uri: URI, line: 7 });
  const done = one.choose(one.choice);
  assert.deepEqual(asked[0]?.params, {
    textDocument: { uri: URI },
    name: undefined,
    line: 7,
    level: undefined,
    example: undefined,
  });
  asked[0].answer(reply());
  await done;
  assert.deepEqual(types(sent), ["pending", "graph"]);
  assert.deepEqual(one.choice, { uri: URI, name: "Net", level: "module", example: undefined });
});

test("an answer that is overtaken is dropped", async () => {
  const { session: one, sent, asked } = session();
  const first = one.choose({ uri: URI, name: "Net" });
  const second = one.choose({ uri: URI, name: "Block" });
  asked[1]?.answer(reply({ name: "Block" }));
  asked[0]?.answer(reply());
  await Promise.all([first, second]);
  assert.equal(sent.filter(({ type }) => type === "graph").length, 1);
  assert.equal(one.choice.name, "Block");
});

test("an unchanged answer is not sent again, unless the page waits for it", async () => {
  const { session: one, sent, asked } = session();
  const answer = async (run: Promise<void>): Promise<void> => {
    asked.at(-1)?.answer(reply());
    await run;
  };
  await answer(one.choose(one.choice));
  await answer(one.refresh());
  assert.deepEqual(types(sent), ["pending", "graph"]);
  one.edited(URI);
  await answer(one.refresh());
  assert.deepEqual(types(sent).slice(2), ["stale", "graph"]);
});

test("an edit of a file that has nothing to do with it is no news", async () => {
  const { session: one, sent, asked } = session();
  const done = one.choose(one.choice);
  asked[0]?.answer(reply({ drawing: { ...new Sketch().drawing(), places: [place(0, 0, 1, 0, "file:///layers.py")] } }));
  await done;
  one.edited("file:///other.py");
  assert.deepEqual(types(sent), ["pending", "graph"]);
  one.edited("file:///layers.py");
  assert.equal(sent.at(-1)?.type, "stale");
});

test("while files are edited it waits; other errors are shown", async () => {
  const { session: one, sent, asked } = session();
  const first = one.choose(one.choice);
  asked[0]?.fail(Object.assign(new Error("edited"), { code: CONTENT_MODIFIED }));
  await first;
  assert.deepEqual(types(sent), ["pending"]);
  const second = one.refresh();
  asked[1]?.fail(new Error("The server is gone."));
  await second;
  assert.deepEqual(sent.at(-1), { type: "error", message: "The server is gone." });
});

test("the cursor is told once for each expression", async () => {
  const { session: one, sent, asked } = session();
  const done = one.choose(one.choice);
  asked[0]?.answer(reply({ drawing: { ...new Sketch().drawing(), places: [place(3, 8, 20), place(4, 8, 20)] } }));
  await done;
  one.moved(URI, { line: 3, character: 9 });
  one.moved(URI, { line: 3, character: 10 });
  one.moved(URI, { line: 4, character: 10 });
  one.moved(URI, { line: 9, character: 0 });
  const places = sent.flatMap((message) => (message.type === "cursor" ? [message.places] : []));
  assert.deepEqual(places, [[0], [1], []]);
});

test("addresses that are written in another way are the same", async () => {
  const { session: one, sent, asked } = session();
  const done = one.choose(one.choice);
  asked[0]?.answer(
    reply({ drawing: { ...new Sketch().drawing(), places: [place(3, 8, 20, 3, "file:///my%2Dlayers.py")] } }),
  );
  await done;
  one.moved("file:///my-layers.py", { line: 3, character: 9 });
  assert.deepEqual(sent.at(-1), { type: "cursor", places: [0] });
});

test("the innermost expression around a cursor, with its doubles; else those of the line", () => {
  const places = [
    place(2, 4, 30),
    place(2, 8, 20),
    null,
    place(2, 8, 20),
    place(5, 4, 9, 7),
    place(2, 0, 99, 2, "file:///b.py"),
  ];
  const at = (line: number, character: number): number[] => placesAt(places, (uri) => uri === URI, { line, character });
  assert.deepEqual(at(2, 10), [1, 3]);
  assert.deepEqual(at(2, 25), [0]);
  assert.deepEqual(at(2, 20), [1, 3], "the end is still inside");
  assert.deepEqual(at(6, 0), [4]);
  assert.deepEqual(at(2, 1), [0, 1, 3], "before all of them, but in their line");
  assert.deepEqual(at(9, 0), []);
});

test("names for exported files", () => {
  assert.equal(fileName({ uri: URI, name: "GPT", level: "module" }, "svg"), "GPT.module.svg");
  assert.equal(fileName({ uri: URI, name: "a.<locals>.Net" }, "py"), "a._locals_.Net.py");
  assert.equal(fileName({ uri: URI }, "json"), "graph.json");
});

test("the page may run its own script and workers from blobs, and nothing else", () => {
  const parts = {
    cspSource: "https://panel",
    nonce: "n0",
    script: "https://panel/a.js",
    style: "https://panel/a.css",
    worker: "https://panel/w.js",
  };
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(pageHtml(parts))?.[1];
  assert.deepEqual(policy?.split("; "), [
    "default-src 'none'",
    "script-src 'nonce-n0'",
    "style-src https://panel",
    "connect-src https://panel",
    "worker-src blob:",
    "img-src data: blob:",
  ]);
});
