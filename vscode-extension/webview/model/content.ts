/** What is inside an open box: of a repeat, its first member stands for all of them. */

import { flip, isScope } from "./child";

/** How a scope is shown. */
export const CLOSED = 0;
export const OPEN = 1;
/** Open, and a repeat that shows every member. */
export const UNROLLED = 2;

/** What is needed of a scope to know. */
export interface Container {
  readonly form: string;
  readonly children: readonly number[];
}

/** The scope whose children and edges are drawn in the open box of `scope`. */
export function contentOf(scopes: readonly Container[], scope: number, state: number): number {
  const first = scopes[scope]?.children[0];
  if (state === UNROLLED || scopes[scope]?.form !== "repeat" || first === undefined || !isScope(first)) {
    return scope;
  }
  const member = flip(first);
  return scopes[member]?.form === "repeat" ? scope : member;
}
