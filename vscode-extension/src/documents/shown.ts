/** What is shown of generated code, and what in it is drawn as a link. */

import type { CodeLink, CodeReply } from "../protocol";

export interface Shown {
  readonly text: string;
  readonly links: readonly CodeLink[];
}

/** Where there is no code it says so, in a comment, as does code that ends at a failure. */
export function shownOf(reply: CodeReply): Shown {
  const head = reply.message === "" ? "" : asComment(reply.message);
  if (reply.state !== "graph") {
    return { text: head, links: [] };
  }
  const above = head.split("\n").length - 1;
  return { text: head + reply.text, links: reply.links.map((link) => ({ ...link, line: link.line + above })) };
}

/** Something to read where there should be code. */
export function asComment(text: string): string {
  return text.replace(/^/gm, "# ").replace(/ +$/gm, "") + "\n";
}

/** Start and end of the place named in a comment, such as `model.py:12`: that is drawn as a link. */
export function linkSpan(line: string): [start: number, end: number] | undefined {
  const found = /^\s*#.*?(\S+:\d+)$/.exec(line);
  return found?.[1] === undefined ? undefined : [line.length - found[1].length, line.length];
}
