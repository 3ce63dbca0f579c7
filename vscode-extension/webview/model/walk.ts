/** From box to box by keyboard. */

import { BORDER } from "../../src/protocol";
import { flip, isScope, WHOLE, type Child } from "./child";
import type { View } from "./view";

/** Along the data: `next` and `previous`; across it: `left` and `right`. */
export type Direction = "next" | "previous" | "inside" | "outside";

/** The box that is reached; undefined where there is none. */
export function walk(view: View, from: Child, direction: Direction): Child | undefined {
  if (from === WHOLE) {
    return view.children(0)[0];
  }
  switch (direction) {
    case "inside":
      return isScope(from) && view.isOpen(from) ? view.children(flip(from))[0] : undefined;
    case "outside": {
      const home = view.home(from);
      return home === 0 ? undefined : flip(home);
    }
    default:
      return along(view, from, direction);
  }
}

/** Boxes that the values of this one go to, or come from, in the same scope and in order of execution. */
export function neighbours(view: View, from: Child, direction: "next" | "previous"): Child[] {
  const content = view.content(view.home(from));
  const found = new Set<Child>();
  for (const { source, target } of view.model.scope(content).edges) {
    const [here, there] = direction === "next" ? [source, target] : [target, source];
    if (here === from && there !== BORDER) {
      found.add(there);
    }
  }
  return [...found];
}

/** The one before or after in order of execution; used where boxes have no edge in that direction. */
export function sibling(view: View, from: Child, step: 1 | -1): Child | undefined {
  const children = view.children(view.home(from));
  return children[children.indexOf(from) + step];
}

/** Along the first edge; at the border of a scope on to what comes after it. */
function along(view: View, from: Child, direction: "next" | "previous"): Child | undefined {
  const [next] = neighbours(view, from, direction);
  if (next !== undefined) {
    return next;
  }
  const home = view.home(from);
  return home === 0 ? sibling(view, from, direction === "next" ? 1 : -1) : along(view, flip(home), direction);
}
