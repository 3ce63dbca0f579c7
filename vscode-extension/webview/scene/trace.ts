/** The lines that carry the values of a box, followed through the borders of open boxes. */

import { BORDER } from "../../src/protocol";
import { flip, isScope, type Child } from "../model/child";
import { at } from "../model/list";
import type { Opened, Scene } from "./scene";

/** Of each open scope the numbers of the lines. */
export type Lines = Map<number, Set<number>>;

/** What comes in and what goes out. */
export interface Trace {
  readonly incoming: Lines;
  readonly outgoing: Lines;
}

/** Both directions, from one box. */
export function trace(scene: Scene, child: Child): Trace {
  const incoming: Lines = new Map();
  const outgoing: Lines = new Map();
  const home = scene.home(child);
  if (home !== undefined) {
    each(scene, home, (line, { source, target }) => {
      if (target === child) {
        back(scene, home, line, incoming);
      }
      if (source === child) {
        on(scene, home, line, outgoing);
      }
    });
  }
  return { incoming, outgoing };
}

interface Ends {
  readonly source: Child;
  readonly target: Child;
  readonly exit: number;
  readonly entry: number;
}

function each(scene: Scene, { block, content }: Opened, visit: (line: number, ends: Ends) => void): void {
  const { edges } = scene.model.scope(content);
  block.edges.forEach((edge, line) => visit(line, at(edges, edge)));
}

function add(lines: Lines, home: Opened, line: number): boolean {
  const there = lines.get(home.scope) ?? new Set();
  lines.set(home.scope, there);
  const isNew = !there.has(line);
  there.add(line);
  return isNew;
}

/** Follow a line to where its value is used. */
function on(scene: Scene, home: Opened, line: number, found: Lines): void {
  const { target, entry } = endsOf(scene, home, line);
  if (!add(found, home, line)) {
    return;
  }
  if (target === BORDER) {
    const outer = scene.home(flip(home.scope));
    if (outer !== undefined) {
      each(scene, outer, (next, ends) => {
        if (ends.source === flip(home.scope) && outerPort(scene, home, "exits", ends.exit) === entry) {
          on(scene, outer, next, found);
        }
      });
    }
  } else if (isScope(target)) {
    const inner = scene.opened.get(flip(target));
    if (inner !== undefined) {
      each(scene, inner, (next, ends) => {
        if (ends.source === BORDER && outerPort(scene, inner, "entries", entry) === ends.exit) {
          on(scene, inner, next, found);
        }
      });
    }
  }
}

/** Follow a line to where its value is made. */
function back(scene: Scene, home: Opened, line: number, found: Lines): void {
  const { source, exit } = endsOf(scene, home, line);
  if (!add(found, home, line)) {
    return;
  }
  if (source === BORDER) {
    const outer = scene.home(flip(home.scope));
    if (outer !== undefined) {
      each(scene, outer, (next, ends) => {
        if (ends.target === flip(home.scope) && outerPort(scene, home, "entries", ends.entry) === exit) {
          back(scene, outer, next, found);
        }
      });
    }
  } else if (isScope(source)) {
    const inner = scene.opened.get(flip(source));
    if (inner !== undefined) {
      each(scene, inner, (next, ends) => {
        if (ends.target === BORDER && outerPort(scene, inner, "exits", exit) === ends.entry) {
          back(scene, inner, next, found);
        }
      });
    }
  }
}

function endsOf(scene: Scene, { content, block }: Opened, line: number): Ends {
  return at(scene.model.scope(content).edges, at(block.edges, line));
}

/** The port of what is drawn in an open box that a port of the box itself leads to. */
function outerPort(scene: Scene, { scope, content }: Opened, side: "entries" | "exits", port: number): number {
  if (scope === content) {
    return port;
  }
  const { edges } = scene.model.scope(scope);
  const edge =
    side === "entries"
      ? edges.find(({ source, exit }) => source === BORDER && exit === port)
      : edges.find(({ target, entry }) => target === BORDER && entry === port);
  return (side === "entries" ? edge?.entry : edge?.exit) ?? -1;
}
