/** Layered layout by dagre, with the rows given. */

import { Graph, layout } from "@dagrejs/dagre";

import { BORDER } from "../../src/protocol";
import { at } from "../model/list";
import { LABEL_HEIGHT, LINE_GAP, NODE_GAP, RANK_GAP } from "./metrics";
import type { Placed } from "./placed";
import type { Line, Plan } from "./plan";
import type { Ranks } from "./ranks";

/** Weight of a line that goes in or out: such lines are kept straight. */
const BORDER_WEIGHT = 2;

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Needs time and stack that grow faster than the plan: only for plans of limited size. */
export function layered(plan: Plan, ranks: Ranks): Placed {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({
    nodesep: NODE_GAP,
    edgesep: LINE_GAP,
    ranksep: 2 * RANK_GAP,
    ranker: (inner: Graph) => assign(inner, ranks),
  });
  graph.setDefaultEdgeLabel(() => ({}));
  plan.parts.forEach(({ width, height }, part) => graph.setNode(String(part), { width, height }));
  const ports = (prefix: string, count: number): void => {
    for (let port = 0; port < count; port += 1) {
      graph.setNode(`${prefix}${String(port)}`, { width: LINE_GAP, height: 0 });
    }
  };
  ports("in", plan.inputs);
  ports("out", plan.outputs);
  plan.lines.forEach((line, number) => {
    const outer = line.from === BORDER || line.to === BORDER;
    const label = line.label > 0 ? { width: line.label, height: LABEL_HEIGHT, labelpos: "c" } : { width: 0, height: 0 };
    graph.setEdge(start(line), end(line), { ...label, weight: outer ? BORDER_WEIGHT : 1 }, String(number));
  });
  layout(graph);
  return read(graph, plan);
}

function start(line: Line): string {
  return line.from === BORDER ? `in${String(line.exit)}` : String(line.from);
}

function end(line: Line): string {
  return line.to === BORDER ? `out${String(line.entry)}` : String(line.to);
}

/** Dagre has a row for labels between every two of ours, and above all its own root. */
function assign(graph: Graph, { rank, last }: Ranks): void {
  for (const name of graph.nodes()) {
    const node = graph.node(name) as { rank?: number };
    if (name.startsWith("in")) {
      node.rank = 0;
    } else if (name.startsWith("out")) {
      node.rank = 2 * last;
    } else {
      node.rank = /^\d/.test(name) ? 2 * at(rank, Number(name)) : -1;
    }
  }
}

function read(graph: Graph, plan: Plan): Placed {
  const place = (name: string): Point => graph.node(name) as Point;
  const numbers = (count: number): number[] => Array.from({ length: count }, (_, number) => number);
  const entries = numbers(plan.inputs).map((port) => place(`in${String(port)}`));
  const exits = numbers(plan.outputs).map((port) => place(`out${String(port)}`));
  const edges = plan.lines.map(
    (line, number) => graph.edge(start(line), end(line), String(number)) as Partial<Point> & { points?: Point[] },
  );
  return {
    x: Float64Array.from(plan.parts, (_, part) => place(String(part)).x),
    y: Float64Array.from(plan.parts, (_, part) => place(String(part)).y),
    entries: Float64Array.from(entries, ({ x }) => x),
    exits: Float64Array.from(exits, ({ x }) => x),
    top: entries[0]?.y ?? NaN,
    bottom: exits[0]?.y ?? NaN,
    ways: edges.map(({ points }) => (points ?? []).slice(1, -1).flatMap(({ x, y }) => [x, y])),
    labels: edges.map(({ x, y }, number) =>
      at(plan.lines, number).label > 0 && x !== undefined && y !== undefined ? [x, y] : undefined,
    ),
  };
}
