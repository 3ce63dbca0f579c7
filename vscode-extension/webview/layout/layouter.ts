/** Lays out all open boxes, from the innermost outwards; equal ones once. */

import { BORDER } from "../../src/protocol";
import { flip, isScope } from "../model/child";
import { CLOSED, contentOf, UNROLLED } from "../model/content";
import { at } from "../model/list";
import { layered } from "./dagre";
import { finish } from "./finish";
import { PADDING } from "./metrics";
import { keyOf, linesOf, type Part, type Plan, type Wire } from "./plan";
import { ranksOf } from "./ranks";
import { rows } from "./rows";
import { EDGE, type Block, type LayoutGraph } from "./types";

/** More boxes, or boxes and bends of lines, than this in one box: dagre would take too long, or run out of stack. */
const MOST_PARTS = 1000;
const MOST_BENDS = 2500;
/** Widths of titles are multiples of this. */
const TITLE_STEP = 32;

/** Remembers what it laid out. */
export class Layouter {
  readonly #blocks = new Map<string, Block>();
  #graph: LayoutGraph | undefined;
  /** Of each node and each scope its place among its siblings. */
  #nodePlace = new Int32Array();
  #scopePlace = new Int32Array();

  /** How many different boxes were laid out. */
  get distinct(): number {
    return this.#blocks.size;
  }

  /** From now on it is about this graph; what was laid out before may come again. */
  use(graph: LayoutGraph): void {
    this.#graph = graph;
    this.#nodePlace = new Int32Array(graph.nodes.length / 2);
    this.#scopePlace = new Int32Array(graph.scopes.length);
    graph.scopes.forEach(({ children }) => {
      children.forEach((child, place) => {
        (isScope(child) ? this.#scopePlace : this.#nodePlace)[isScope(child) ? flip(child) : child] = place;
      });
    });
  }

  /** The block of each open scope that is to be seen. */
  arrange(states: Uint8Array): (Block | undefined)[] {
    if (this.#graph === undefined) {
      throw new Error("There is no graph to arrange.");
    }
    const found = Array<Block | undefined>(states.length).fill(undefined);
    this.#block(this.#graph, states, 0, found);
    return found;
  }

  #block(graph: LayoutGraph, states: Uint8Array, scope: number, found: (Block | undefined)[]): Block {
    const content = contentOf(graph.scopes, scope, at(states, scope));
    const parts = at(graph.scopes, content).children.map((child): Part => {
      if (!isScope(child)) {
        return { width: at(graph.nodes, 2 * child), height: at(graph.nodes, 2 * child + 1), block: undefined };
      }
      const inner = flip(child);
      if (at(states, inner) === CLOSED) {
        return { width: at(graph.closed, 2 * inner), height: at(graph.closed, 2 * inner + 1), block: undefined };
      }
      const block = this.#block(graph, states, inner, found);
      return { width: block.width, height: block.height, block };
    });
    const block = this.#lay(this.#plan(graph, scope, content, parts, at(states, scope)));
    found[scope] = block;
    return block;
  }

  #plan(graph: LayoutGraph, scope: number, content: number, parts: readonly Part[], state: number): Plan {
    const place = (child: number): number =>
      child === BORDER ? BORDER : isScope(child) ? at(this.#scopePlace, flip(child)) : at(this.#nodePlace, child);
    const edges = edgesOf(graph, content);
    const wires = edges.map((edge): Wire => {
      const [source, target, value, exit, entry] = edge;
      return { source: place(source), target: place(target), exit, entry, label: at(graph.labels, value) };
    });
    const folded = state !== UNROLLED && content !== scope;
    const own = folded ? edgesOf(graph, scope) : [];
    const count = (end: 0 | 1, port: 3 | 4): number =>
      edges.reduce((most, edge) => (edge[end] === BORDER ? Math.max(most, edge[port] + 1) : most), 0);
    const inputs = count(EDGE.source, EDGE.exit);
    const outputs = count(EDGE.target, EDGE.entry);
    return {
      parts,
      lines: linesOf(wires, parts),
      inputs,
      outputs,
      title: scope === 0 ? 0 : titleWidth(at(graph.titles, scope), parts),
      entries: folded ? ports(own, EDGE.source, EDGE.exit, EDGE.entry) : identity(inputs),
      exits: folded ? ports(own, EDGE.target, EDGE.entry, EDGE.exit) : identity(outputs),
    };
  }

  #lay(plan: Plan): Block {
    const key = keyOf(plan);
    const known = this.#blocks.get(key);
    if (known !== undefined) {
      return known;
    }
    const block = finish(plan, place(plan), this.#blocks.size);
    this.#blocks.set(key, block);
    return block;
  }
}

function place(plan: Plan): ReturnType<typeof rows> {
  const ranks = ranksOf(plan);
  const bends = plan.lines.reduce((sum, { from, to }) => {
    const start = from === BORDER ? 0 : at(ranks.rank, from);
    const end = to === BORDER ? ranks.last : at(ranks.rank, to);
    return sum + 2 * Math.max(1, end - start) - 1;
  }, plan.parts.length);
  return plan.parts.length > MOST_PARTS || bends > MOST_BENDS ? rows(plan, ranks) : layered(plan, ranks);
}

/** Rounded, so that `h.9` and `h.10` look the same; nothing where what is inside is wider anyway. */
function titleWidth(width: number, parts: readonly Part[]): number {
  const inside = parts.reduce((most, part) => Math.max(most, part.width), 0) + 2 * PADDING;
  return width <= inside ? 1 : Math.ceil(width / TITLE_STEP) * TITLE_STEP;
}

type Edge = [source: number, target: number, value: number, exit: number, entry: number];

function edgesOf({ edges, starts }: LayoutGraph, scope: number): Edge[] {
  const found: Edge[] = [];
  for (let edge = at(starts, scope); edge < at(starts, scope + 1); edge += 1) {
    found.push([...edges.subarray(EDGE.size * edge, EDGE.size * (edge + 1))] as Edge);
  }
  return found;
}

/** Of each port of a folded repeat that of the member which stands for it; the first member that has it counts. */
function ports(edges: readonly Edge[], border: 0 | 1, own: 3 | 4, member: 3 | 4): number[] {
  const found: number[] = [];
  for (const edge of edges) {
    if (edge[border] === BORDER) {
      found[edge[own]] ??= edge[member];
    }
  }
  return Array.from(found, (port: number | undefined) => port ?? -1);
}

function identity(count: number): number[] {
  return Array.from({ length: count }, (_, port) => port);
}
