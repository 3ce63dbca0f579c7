import assert from "node:assert/strict";
import { test } from "node:test";

import { asLine, asMarkdown } from "../../src/text";

test("a message has no links and no icons of user code", () => {
  assert.equal(asLine("[here](command:workbench.action.quit)"), "[here] (command:workbench.action.quit)");
  assert.equal(asLine("$(trash)\nall\tgone"), "$ (trash) all gone");
  assert.equal(asLine("f(x)[0] is 3"), "f(x)[0] is 3");
});

test("Markdown has no pictures, links or HTML of user code, and the text stays", () => {
  for (const evil of [
    "![x](https://evil/p.png)",
    "<img src=//evil>",
    "[a](command:b)",
    "# big",
    "https://evil",
    "`c`",
  ]) {
    const text = asMarkdown(evil);
    assert.equal(text.replaceAll("\\", ""), evil);
    assert.doesNotMatch(text, /(?<!\\)[![\](<#:`]/, text);
  }
  assert.equal(asMarkdown("a\n\n- b"), "a \\- b");
});
