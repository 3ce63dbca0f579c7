/** Generated code: a document that cannot be edited, with links to the source. */

import assert from "node:assert/strict";
import * as path from "node:path";
import { test } from "node:test";

import { FIXTURES } from "./harness/places";
import { session, traced } from "./harness/session";
import { retried, TRY_MS } from "./harness/wait";

const current = session();

test("FX: Show Generated Code shows the graph as Python, with shapes", (t) =>
  traced(t, current(), async () => {
    const workspace = current().profile.workspace([path.join(FIXTURES, "small")]);
    const window = await current().open({ workspace, file: "net.py:8" });
    await window.sees("h: f32[3, 4] = self.fc(x)");
    await window.run("FX: Show Generated Code");
    await window.tab(/^Net( \(\w+\))?\.py$/).waitFor();
    await window.sees('def forward(self, x: "f32[3, 8]"):');
    await window.sees('fc: "f32[3, 4]" = self.fc(x)');
    await window.shot("code");
  }));

test("a line of it leads to its line of the source", (t) =>
  traced(t, current(), async () => {
    const { window } = current();
    const link = window.page
      .locator(".editor-instance .view-line .detected-link")
      .filter({ hasText: "net.py:14" })
      .first();
    await retried("the link leads to the source", async () => {
      await link.click({ modifiers: ["Control"], timeout: TRY_MS });
      await window.cursorIs(14, 24, "h.relu()".length, TRY_MS);
    });
  }));

test("it cannot be edited, and follows the source", (t) =>
  traced(t, current(), async () => {
    const { window } = current();
    await window.replaceLine(13, "        h = self.fc(x).sigmoid()");
    await window.sees('sigmoid: "f32[3, 4]" = fc.sigmoid()');
    const code = window.tab(/^Net( \(\w+\))?\.py$/);
    await code.click();
    const before = await window.text();
    await window.type("x");
    await window.page.locator(".monaco-editor-overlaymessage").filter({ hasText: "read-only" }).waitFor();
    assert.equal(await window.text(), before);
  }));
