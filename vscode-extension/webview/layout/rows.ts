/** Layout in linear time, for plans that are too big for dagre: rows of boxes, each near what it reads. */

import { BORDER } from "../../src/protocol";
import { at } from "../model/list";
import { LABEL_HEIGHT, LINE_GAP, NODE_GAP, RANK_GAP } from "./metrics";
import type { Placed } from "./placed";
import type { Plan } from "./plan";
import type { Ranks } from "./ranks";
import { spread } from "./spread";

/** Lines through more rows than this go around the boxes instead of between them. */
const LONGEST = 12;
/** So do lines through rows that so many others go through already. */
const MOST_THROUGH = 60;
/** Boxes in a row; more are put into further rows. */
const WIDEST = 40;
/** Beside all boxes, for lines that go around them. */
const LANES = 24;
const SWEEPS = 3;
const GAP = 2 * RANK_GAP + LABEL_HEIGHT;

/** A box, or the place where a line goes through a row. */
interface Item {
  readonly width: number;
  readonly height: number;
  readonly above: Item[];
  readonly below: Item[];
  readonly row: number;
  x: number;
}

/** Rows from the ranks; a rank with very many boxes has several. */
export function rows(plan: Plan, ranks: Ranks): Placed {
  const { row, count } = rowsOf(plan, ranks);
  const table: Item[][] = Array.from({ length: count }, () => []);
  const add = (number: number, width: number, height: number): Item => {
    const item = { width, height, above: [], below: [], row: number, x: 0 };
    at(table, number).push(item);
    return item;
  };
  const entries = Array.from({ length: plan.inputs }, () => add(0, LINE_GAP, 0));
  const exits = Array.from({ length: plan.outputs }, () => add(count - 1, LINE_GAP, 0));
  const parts = plan.parts.map(({ width, height }, part) => add(at(row, part), width, height));
  const ways = plan.lines.map((line) => {
    const from = line.from === BORDER ? at(entries, line.exit) : at(parts, line.from);
    const to = line.to === BORDER ? at(exits, line.entry) : at(parts, line.to);
    return way(from, to, (number) =>
      at(table, number).length < WIDEST + MOST_THROUGH ? add(number, LINE_GAP, 0) : undefined,
    );
  });
  arrange(table);
  const { middle, bottom } = heights(table);
  const right = Math.max(
    0,
    ...table.map((items) => items.reduce((most, { x, width }) => Math.max(most, x + width / 2), 0)),
  );
  const lanes = new Map<number, number>();
  return {
    x: Float64Array.from(parts, ({ x }) => x),
    y: Float64Array.from(parts, (item) => at(middle, item.row)),
    entries: Float64Array.from(entries, ({ x }) => x),
    exits: Float64Array.from(exits, ({ x }) => x),
    top: plan.inputs > 0 ? at(middle, 0) : NaN,
    bottom: plan.outputs > 0 ? at(middle, count - 1) : NaN,
    ways: ways.map((items, number) => {
      const line = at(plan.lines, number);
      if (items !== undefined) {
        return items.flatMap(({ x, row: inRow }) => [x, at(middle, inRow)]);
      }
      const lane = lanes.get(line.from) ?? right + ((lanes.size % LANES) + 1) * LINE_GAP;
      lanes.set(line.from, lane);
      const start = line.from === BORDER ? 0 : at(row, line.from);
      const end = line.to === BORDER ? count - 1 : at(row, line.to);
      return [lane, at(bottom, start) + GAP / 2, lane, (bottom[end - 1] ?? 0) + GAP / 2];
    }),
    labels: labels(plan, ways, parts, bottom),
  };
}

/** Below the box that a line comes from, where there is room. */
function labels(
  plan: Plan,
  ways: readonly (readonly Item[] | undefined)[],
  parts: readonly Item[],
  bottom: readonly number[],
): Placed["labels"] {
  const taken = new Map<number, { left: number; right: number }[]>();
  return plan.lines.map((line, number) => {
    const way = ways[number];
    if (line.label === 0 || line.from === BORDER || line.to === BORDER || way === undefined) {
      return undefined;
    }
    const from = at(parts, line.from);
    const to = way[0] ?? at(parts, line.to);
    const x = (from.x + to.x) / 2;
    const place = { left: x - line.label / 2, right: x + line.label / 2 };
    const others = taken.get(from.row) ?? [];
    if (others.some(({ left, right }) => left < place.right && place.left < right)) {
      return undefined;
    }
    taken.set(from.row, [...others, place]);
    return [x, at(bottom, from.row) + GAP / 2];
  });
}

function rowsOf({ parts, inputs, outputs }: Plan, { rank, last }: Ranks): { row: Int32Array; count: number } {
  const inRank = new Int32Array(last + 1);
  const turn = new Int32Array(parts.length);
  rank.forEach((one, part) => {
    turn[part] = at(inRank, one);
    inRank[one] = at(inRank, one) + 1;
  });
  const start = new Int32Array(last + 1);
  let next = inputs > 0 ? 1 : 0;
  for (let one = inputs > 0 ? 1 : 0; one <= last; one += 1) {
    start[one] = next;
    next += Math.ceil(at(inRank, one) / WIDEST);
  }
  const row = Int32Array.from(rank, (one, part) => at(start, one) + Math.floor(at(turn, part) / WIDEST));
  return { row, count: next + (outputs > 0 ? 1 : 0) };
}

/** What the line goes through; undefined when it goes around. */
function way(from: Item, to: Item, through: (row: number) => Item | undefined): Item[] | undefined {
  const rowsBetween = to.row - from.row - 1;
  if (rowsBetween < 0 || rowsBetween > LONGEST) {
    return undefined;
  }
  const items: Item[] = [];
  for (let row = from.row + 1; row < to.row; row += 1) {
    const item = through(row);
    if (item === undefined) {
      return undefined;
    }
    items.push(item);
  }
  [from, ...items, to].reduce((above, below) => {
    above.below.push(below);
    below.above.push(above);
    return below;
  });
  return items;
}

/** Order and place each row by what is above it, then by what is below it, and again. */
function arrange(table: readonly Item[][]): void {
  table.forEach((items) => settle(items, () => 0));
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const up = sweep % 2 === 1;
    const order = up ? [...table].reverse() : table;
    order.forEach((items) => settle(items, (item) => wanted(item, up ? item.below : item.above)));
  }
}

function wanted(item: Item, others: readonly Item[]): number {
  return others.length === 0 ? item.x : others.reduce((sum, { x }) => sum + x, 0) / others.length;
}

function settle(items: Item[], where: (item: Item) => number): void {
  const [only, second] = items;
  if (only !== undefined && second === undefined) {
    only.x = where(only);
    return;
  }
  const places = new Map(items.map((item) => [item, where(item)]));
  const place = (item: Item): number => places.get(item) ?? 0;
  items.sort((one, other) => place(one) - place(other));
  const widths = items.map(({ width, height }) => width + (height > 0 ? NODE_GAP : LINE_GAP));
  spread(items.map(place), widths).forEach((x, number) => (at(items, number).x = x));
}

/** Middle and lower end of each row. */
function heights(table: readonly Item[][]): { middle: number[]; bottom: number[] } {
  const middle: number[] = [];
  const bottom: number[] = [];
  let top = 0;
  for (const items of table) {
    const height = items.reduce((most, item) => Math.max(most, item.height), 0);
    middle.push(top + height / 2);
    bottom.push(top + height);
    top += height + GAP;
  }
  return { middle, bottom };
}
