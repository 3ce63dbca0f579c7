/** The graph panel beside the editor: opened, walked through, tied to the text on both sides. */

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import * as path from "node:path";
import { test } from "node:test";

import { Panel } from "./harness/panel";
import { EXAMPLES, FIXTURES } from "./harness/places";
import { session, traced } from "./harness/session";
import { click, retried, TRY_MS, until } from "./harness/wait";

const current = session();
const panel = (): Panel => new Panel(current().window);

/** Of gpt2.py: `self.c_attn(x)`, counted from 1. */
const EXPRESSION = { line: 50, column: 19, text: "self.c_attn(x)" };

test("the lens opens the graph of its class, and the first view is the collapsed model", (t) =>
  traced(t, current(), async () => {
    const workspace = current().profile.workspace([EXAMPLES]);
    const window = await current().open({ workspace, file: "gpt2.py:112" });
    await window.sees("self.transformer.wte.weight: f32[50304, 768]");
    const start = Date.now();
    await click(window.lens("Show FX graph"), window.tab("GPT – FX graph"));
    await panel().drawn();
    t.diagnostic(`from the click on the lens to the graph on screen ${((Date.now() - start) / 1000).toFixed(1)} s`);
    await panel().find("Block");
    await panel().says("Block, 12 times, closed, f32[4, 64, 768]");
    await panel().shot("graph");
  }));

test("a box that is looked for is selected, and its card tells all about it", (t) =>
  traced(t, current(), async () => {
    await panel().find("c_attn");
    await panel().says("Linear, f32[4, 64, 2304]");
    const card = await panel().card.innerText();
    for (const said of [
      "call_module",
      "f32[4, 64, 768]",
      "f32[4, 64, 2304]",
      "1.77 M",
      `gpt2.py:${String(EXPRESSION.line)}`,
    ]) {
      assert.ok(card.includes(said), `${said} in ${card}`);
    }
    await panel().shot("card");
  }));

test("a click on a box selects the exact expression in the editor", (t) =>
  traced(t, current(), async () => {
    const { window } = current();
    const { line, column, text } = EXPRESSION;
    await retried("the expression is selected", async () => {
      const box = await panel().canvas.boundingBox();
      assert.ok(box);
      await panel().canvas.click({ position: { x: box.width / 2, y: box.height / 2 } });
      await window.toEditor();
      await window.cursorIs(line, column + text.length, text.length, TRY_MS);
    });
    await window.sees("q: f32[4, 12, 64, 64]");
    await panel().shot("revealed");
  }));

test("the cursor in the editor highlights the box", (t) =>
  traced(t, current(), async () => {
    const { window } = current();
    await window.goTo(1);
    await panel().settled();
    const before = await panel().picture();
    await window.goTo(62, 36);
    await until("the picture of the graph is another one", async () =>
      (await panel().picture()).equals(before) ? undefined : true,
    );
    await panel().shot("cursor");
  }));

test("a module opens and closes by keys", (t) =>
  traced(t, current(), async () => {
    await panel().find("mlp");
    await panel().says("MLP, closed");
    await panel().key("Enter");
    await panel().says("MLP, open");
    await panel().key("Shift+ArrowDown");
    await panel().says("Linear");
  }));

test("an edit refreshes the panel, and what was open stays open", (t) =>
  traced(t, current(), async () => {
    const { window } = current();
    await window.replaceLine(75, "        x = self.c_fc(x).relu()");
    await panel().settled();
    await panel().find("relu");
    await panel().says("relu, f32[4, 64, 3072]");
    await panel().find("mlp");
    await panel().says("MLP, open");
  }));

test("another level shows operators in place of modules", (t) =>
  traced(t, current(), async () => {
    await panel().choose("Level of the graph", "Operators");
    await panel().drawn();
    await panel().find("softmax");
    await panel().says("softmax, f32[4, 12, 64, 64]");
    await panel().choose("Colour by", "FLOPs");
    await panel().frame.locator(".legend:visible").waitFor();
    await panel().shot("heat");
  }));

test("the graph is exported where the user says", (t) =>
  traced(t, current(), async () => {
    const { window } = current();
    for (const [entry, ending, start] of [
      ["Graphviz DOT, all nodes", "dot", "digraph"],
      ["SVG, as shown", "svg", "<svg"],
    ] as const) {
      await panel().exports(entry);
      const file = path.join(window.workspace, `picture.${ending}`);
      await until("a name is proposed", async () =>
        (await window.picks.input.inputValue()).endsWith(`.${ending}`) ? true : undefined,
      );
      await window.picks.input.fill(file);
      await window.picks.accept();
      await until(`${file} is written`, () => (existsSync(file) ? true : undefined));
      await window.message(`Saved picture.${ending}`);
      assert.ok(readFileSync(file, "utf8").includes(start));
    }
  }));

test("the command shows the class around the cursor, and the panel lets another call be chosen", (t) =>
  traced(t, current(), async () => {
    const workspace = current().profile.workspace([path.join(FIXTURES, "small")]);
    const window = await current().open({ workspace, file: "two.py:10" });
    await window.sees("h: f32[3|5, 4] = self.fc(x)");
    await window.run("FX: Show FX Graph");
    await window.tab("Twice – FX graph").waitFor();
    await panel().drawn();
    await panel().find("Linear");
    await panel().says("Linear, f32[3, 4]");
    await panel().choose("Call", "Twice()(f32[5, 8])");
    await panel().settled();
    await panel().find("Linear");
    await panel().says("Linear, f32[5, 4]");
  }));
