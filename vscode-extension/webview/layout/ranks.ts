/** In which row each box stands: below everything that it reads. */

import { BORDER } from "../../src/protocol";
import { at } from "../model/list";
import type { Plan } from "./plan";

/** Rows of a plan: the entries are in row 0 where there are any, the exits in the last. */
export interface Ranks {
  readonly rank: Int32Array;
  readonly last: number;
}

/** In one pass down and one up, since parts stand in order of execution. */
export function ranksOf({ parts, lines, inputs, outputs }: Plan): Ranks {
  const first = inputs > 0 ? 1 : 0;
  const rank = new Int32Array(parts.length).fill(first);
  const forward = lines.filter(({ from, to }) => from !== BORDER && to !== BORDER && from < to);
  const byTarget = [...forward].sort((one, other) => one.to - other.to);
  for (const { from, to } of byTarget) {
    rank[to] = Math.max(at(rank, to), at(rank, from) + 1);
  }
  pullDown(rank, forward, lines);
  const lowest = rank.reduce((most, one) => Math.max(most, one), first);
  return { rank, last: outputs > 0 ? lowest + 1 : lowest };
}

/** What nothing comes into from outside goes down to what reads it: a constant stands beside its use. */
function pullDown(rank: Int32Array, forward: Plan["lines"], lines: Plan["lines"]): void {
  const free = new Uint8Array(rank.length).fill(1);
  lines.forEach(({ from, to }) => {
    if (from === BORDER && to !== BORDER) {
      free[to] = 0;
    }
  });
  for (const { from, to } of [...forward].sort((one, other) => one.to - other.to)) {
    free[to] = Math.min(at(free, to), at(free, from));
  }
  const room = new Int32Array(rank.length).fill(-1);
  for (const { from, to } of [...forward].sort((one, other) => other.from - one.from)) {
    settle(to);
    room[from] = at(room, from) === -1 ? at(rank, to) - 1 : Math.min(at(room, from), at(rank, to) - 1);
  }
  rank.forEach((_, part) => settle(part));

  function settle(part: number): void {
    if (at(free, part) === 1 && at(room, part) > at(rank, part)) {
      rank[part] = at(room, part);
    }
  }
}
