/** From places to a block: where lines meet the boxes, and the frame around all. */

import { BORDER } from "../../src/protocol";
import { at } from "../model/list";
import { HEADER, PADDING, PORT_GAP } from "./metrics";
import type { Placed } from "./placed";
import type { Plan } from "./plan";
import type { Block } from "./types";

/** A point of a line that lies this near to the straight way is left out. */
const STRAIGHT = 0.75;

/** The block of a plan. */
export function finish(plan: Plan, placed: Placed, id: number): Block {
  const frame = frameOf(plan, placed);
  const boxes = new Float32Array(4 * plan.parts.length);
  plan.parts.forEach(({ width, height }, part) => {
    boxes.set(
      [at(placed.x, part) - width / 2 + frame.dx, at(placed.y, part) - height / 2 + frame.dy, width, height],
      4 * part,
    );
  });
  const starts = new Uint32Array(plan.lines.length + 1);
  const points: number[] = [];
  const ends = endsOf(plan, placed);
  plan.lines.forEach((line, number) => {
    const way = at(placed.ways, number).map((one, axis) => one + (axis % 2 === 0 ? frame.dx : frame.dy));
    const from = line.from === BORDER ? frame.top : at(boxes, 4 * line.from + 1) + at(boxes, 4 * line.from + 3);
    const to = line.to === BORDER ? frame.height : at(boxes, 4 * line.to + 1);
    points.push(...straightened([at(ends.from, number) + frame.dx, from, ...way, at(ends.to, number) + frame.dx, to]));
    starts[number + 1] = points.length / 2;
  });
  const port = (ports: Float64Array, numbers: readonly number[]): Float32Array =>
    Float32Array.from(numbers, (number) => (ports[number] ?? NaN) + frame.dx);
  return {
    id,
    width: frame.width,
    height: frame.height,
    boxes,
    points: Float32Array.from(points),
    starts,
    edges: Int32Array.from(plan.lines, ({ edge }) => edge),
    more: Uint16Array.from(plan.lines, ({ more }) => more),
    labels: Float32Array.from(
      placed.labels.flatMap((label) => [(label?.[0] ?? NaN) + frame.dx, (label?.[1] ?? NaN) + frame.dy]),
    ),
    entries: port(placed.entries, plan.entries),
    exits: port(placed.exits, plan.exits),
  };
}

interface Frame {
  readonly width: number;
  readonly height: number;
  /** Where lines that come in start. */
  readonly top: number;
  readonly dx: number;
  readonly dy: number;
}

function frameOf(plan: Plan, placed: Placed): Frame {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  const include = (x: number, y: number, width: number, height: number): void => {
    left = Math.min(left, x - width / 2);
    right = Math.max(right, x + width / 2);
    top = Math.min(top, y - height / 2);
    bottom = Math.max(bottom, y + height / 2);
  };
  plan.parts.forEach(({ width, height }, part) => include(at(placed.x, part), at(placed.y, part), width, height));
  placed.entries.forEach((x) => include(x, placed.top, 2, 0));
  placed.exits.forEach((x) => include(x, placed.bottom, 2, 0));
  placed.ways.forEach((way) => {
    for (let axis = 0; axis < way.length; axis += 2) {
      include(at(way, axis), at(way, axis + 1), 2, 0);
    }
  });
  placed.labels.forEach((label, number) => label && include(label[0], label[1], at(plan.lines, number).label, 0));
  if (left > right) {
    [left, right, top, bottom] = [0, 0, 0, 0];
  }
  const bordered = plan.title > 0;
  const header = bordered ? HEADER : 0;
  const padding = bordered ? PADDING : 0;
  const width = Math.max(right - left + 2 * padding, plan.title);
  const above = plan.inputs > 0 ? 0 : padding / 2;
  const below = plan.outputs > 0 ? 0 : padding;
  return {
    width,
    height: header + above + bottom - top + below,
    top: header,
    dx: (width - (right - left)) / 2 - left,
    dy: header + above - top,
  };
}

/** x of both ends of each line: at the ports where there are any, else side by side in the order of where they go. */
function endsOf(plan: Plan, placed: Placed): { from: Float64Array; to: Float64Array } {
  const from = new Float64Array(plan.lines.length);
  const to = new Float64Array(plan.lines.length);
  const leaving = new Map<number, number[]>();
  const coming = new Map<number, number[]>();
  plan.lines.forEach((line, number) => {
    from[number] =
      portOf(plan, placed, line.from, line.exit, "exits", placed.entries) ?? group(leaving, line.from, number);
    to[number] = portOf(plan, placed, line.to, line.entry, "entries", placed.exits) ?? group(coming, line.to, number);
  });
  const next = (number: number): number => at(placed.ways, number)[0] ?? at(to, number);
  const before = (number: number): number => at(placed.ways, number).at(-2) ?? at(from, number);
  leaving.forEach((lines, part) => fan(from, lines, at(placed.x, part), at(plan.parts, part).width, next));
  coming.forEach((lines, part) => fan(to, lines, at(placed.x, part), at(plan.parts, part).width, before));
  return { from, to };

  function group(groups: Map<number, number[]>, part: number, number: number): number {
    groups.set(part, [...(groups.get(part) ?? []), number]);
    return at(placed.x, part);
  }
}

function portOf(
  plan: Plan,
  placed: Placed,
  part: number,
  port: number,
  side: "entries" | "exits",
  border: Float64Array,
): number | undefined {
  if (part === BORDER) {
    return at(border, port);
  }
  const { block, width } = at(plan.parts, part);
  const x = block?.[side][port] ?? NaN;
  return Number.isNaN(x) ? undefined : at(placed.x, part) - width / 2 + x;
}

function fan(
  ends: Float64Array,
  lines: number[],
  middle: number,
  width: number,
  towards: (line: number) => number,
): void {
  const gap = Math.min(PORT_GAP, (width - PORT_GAP) / lines.length);
  const order = [...lines].sort((one, other) => towards(one) - towards(other));
  order.forEach((line, turn) => (ends[line] = middle + (turn - (lines.length - 1) / 2) * gap));
}

/** Without the points between two others that the line would go through anyway. */
function straightened(way: readonly number[]): number[] {
  const kept: number[] = [];
  for (let axis = 0; axis < way.length; axis += 2) {
    const x = at(way, axis);
    const [before, after] = [kept.at(-2), way[axis + 2]];
    const inside = axis > 0 && axis < way.length - 2 && before !== undefined && after !== undefined;
    if (!inside || Math.abs(x - before) > STRAIGHT || Math.abs(x - after) > STRAIGHT) {
      kept.push(x, at(way, axis + 1));
    }
  }
  return kept;
}
