import assert from "node:assert/strict";
import { test } from "node:test";

import type { CodeReply } from "../../src/protocol";
import { linkSpan, shownOf } from "../../src/documents/shown";

const PLACE = { uri: "file:///m.py", range: { start: { line: 4, character: 8 }, end: { line: 4, character: 20 } } };
const REPLY: CodeReply = {
  state: "graph",
  message: "",
  uri: "file:///m.py",
  name: "Net",
  level: "module",
  example: 0,
  text: "def forward(self, x):\n    fc = self.fc(x)\n",
  links: [{ line: 1, place: PLACE }],
};

test("code is shown as it is", () => {
  const { text, links } = shownOf(REPLY);
  assert.equal(text, REPLY.text);
  assert.deepEqual(links, REPLY.links);
});

test("a failure stands above it, and the links move along", () => {
  const { text, links } = shownOf({ ...REPLY, message: "It failed.\n\nThere." });
  assert.equal(text, `# It failed.\n#\n# There.\n${REPLY.text}`);
  assert.deepEqual(
    links.map(({ line }) => text.split("\n")[line]),
    ["    fc = self.fc(x)"],
  );
});

test("without code it says why, and links nothing", () => {
  const { text, links } = shownOf({ ...REPLY, state: "off", message: "Nothing is run." });
  assert.equal(text, "# Nothing is run.\n");
  assert.deepEqual(links, []);
});

test("a place named in a comment is a link, code is not", () => {
  const linked = (line: string): string | undefined => {
    const span = linkSpan(line);
    return span === undefined ? undefined : line.slice(...span);
  };
  assert.equal(linked("        # h.0.attn: Attention, gpt2.py:71"), "gpt2.py:71");
  assert.equal(linked("        # gpt2.py:71"), "gpt2.py:71");
  assert.equal(linked("        # This failed: linear = torch.nn.functional.linear(x)"), undefined);
  assert.equal(linked('        linear: "f32[2, 8]" = torch.nn.functional.linear(x, w)'), undefined);
  assert.equal(linked("class GPT(torch.nn.Module):"), undefined);
  assert.equal(linked(""), undefined);
});
