/** The inside of one box before it is laid out: sizes of its children and the lines between them. */

import { BORDER } from "../../src/protocol";
import { at } from "../model/list";
import type { Block } from "./types";

/** A child: a box of some size, and of an open one where its entries and exits are. */
export interface Part {
  readonly width: number;
  readonly height: number;
  readonly block: Block | undefined;
}

/** A line from part to part; `BORDER` is the border around all. Edges that would coincide are one line. */
export interface Line {
  readonly from: number;
  readonly to: number;
  /** Number of the exit that it starts at, where `from` has them drawn: open boxes and the border's entries. */
  readonly exit: number;
  readonly entry: number;
  /** Number of the first edge that it stands for. */
  readonly edge: number;
  more: number;
  /** Width of its label; 0 without one. */
  label: number;
}

/** What a layout is made from; equal plans have equal layouts. */
export interface Plan {
  readonly parts: readonly Part[];
  readonly lines: readonly Line[];
  readonly inputs: number;
  readonly outputs: number;
  /** Width of the title; 0 for the whole, which has no border. */
  readonly title: number;
  /** The entry and exit of the content that each of the box's own leads to. */
  readonly entries: readonly number[];
  readonly exits: readonly number[];
}

/** Of an edge, with its ends as places among the parts. */
export interface Wire {
  readonly source: number;
  readonly target: number;
  readonly exit: number;
  readonly entry: number;
  readonly label: number;
}

const MORE_WIDTH = 20;

/** Put edges together that have both ends in common. */
export function linesOf(wires: readonly Wire[], parts: readonly Part[]): Line[] {
  const found = new Map<string, Line>();
  const hasPorts = (part: number): boolean => part === BORDER || at(parts, part).block !== undefined;
  wires.forEach(({ source, target, exit, entry, label }, edge) => {
    const from = hasPorts(source) ? exit : 0;
    const to = hasPorts(target) ? entry : 0;
    const key = `${String(source)} ${String(from)} ${String(target)} ${String(to)}`;
    const line = found.get(key);
    if (line === undefined) {
      const shown = source === BORDER || target === BORDER ? 0 : label;
      found.set(key, { from: source, to: target, exit: from, entry: to, edge, more: 0, label: shown });
    } else {
      line.label += line.more === 0 && line.label > 0 ? MORE_WIDTH : 0;
      line.more += 1;
    }
  });
  return [...found.values()];
}

/** The same text for the same plan. */
export function keyOf(plan: Plan): string {
  const parts = plan.parts.map(({ width, height, block }) =>
    block === undefined ? `${width.toFixed(1)}x${height.toFixed(1)}` : `#${String(block.id)}`,
  );
  const lines = plan.lines.map(
    ({ from, to, exit, entry, edge, more, label }) =>
      `${String(from)}.${String(exit)}>${String(to)}.${String(entry)}:${String(edge)}+${String(more)}/${label.toFixed(1)}`,
  );
  const border = [plan.inputs, plan.outputs, plan.title.toFixed(1), plan.entries.join("."), plan.exits.join(".")];
  return [border.join(), parts.join(), lines.join()].join("|");
}
