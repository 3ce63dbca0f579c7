/** Drawings for tests, made box by box. */

import {
  BORDER,
  type DrawnEdge,
  type DrawnNode,
  type DrawnScope,
  type PlacedDrawing,
  type Place,
} from "../../src/protocol";
import { flip, isScope, type Child } from "../../webview/model/child";

type Writable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer U)[] ? U[] : T[K] };

/** Starts with the whole, which is scope 0. */
export class Sketch {
  readonly scopes: Writable<DrawnScope>[] = [];
  readonly nodes: DrawnNode[] = [];
  readonly values: string[] = ["f32[2, 3]"];
  places: Place[] = [];

  constructor(title = "Net") {
    this.#add("module", title, "", -1, {});
  }

  /** A node at the end of a scope, and an edge from each source. */
  node(scope: number, title: string, sources: readonly Child[] = [], more: Partial<DrawnNode> = {}): Child {
    const child = this.nodes.length;
    this.nodes.push({
      title,
      name: `${title}_${String(child)}`,
      op: "call_function",
      target: `torch.${title}`,
      code: "",
      role: "operation",
      inputs: [],
      value: 0,
      scope,
      place: -1,
      parameters: 0,
      flops: 0,
      bytes: 0,
      held: [],
      origin: -1,
      failed: false,
      ...more,
    });
    this.#put(scope, child, sources);
    return child;
  }

  /** A scope at the end of another one, with an edge from each source to an entry of its own. */
  scope(
    parent: number,
    title: string,
    path: string,
    sources: readonly Child[] = [],
    more: Partial<DrawnScope> = {},
  ): number {
    const scope = this.#add("module", title, path, parent, more);
    this.#put(parent, flip(scope), sources);
    return scope;
  }

  edge(scope: number, source: Child, target: Child, exit = 0, entry = 0, value = 0): void {
    this.#scope(scope).edges.push({ source, target, value, exit, entry });
  }

  /** An edge from the border for each of the first entries, or to it. */
  enter(scope: number, target: Child, entry = 0): void {
    this.edge(scope, BORDER, target, entry, 0);
    this.#ports(scope, "inputs", entry);
  }

  leave(scope: number, source: Child, exit = 0): void {
    this.edge(scope, source, BORDER, 0, exit);
    this.#ports(scope, "outputs", exit);
  }

  drawing(): PlacedDrawing {
    return {
      level: "operator",
      name: this.#scope(0).title,
      nodes: this.nodes,
      scopes: this.scopes,
      values: this.values.map((label) => ({
        label,
        concrete: label,
        dtype: "f32",
        shape: [2, 3],
        device: "cpu",
        stride: [],
      })),
      places: this.places,
      omitted: 0,
      unseen: 0,
    };
  }

  #add(form: string, title: string, path: string, parent: number, more: Partial<DrawnScope>): number {
    const numbers = { times: 1, place: -1, definition: -1, operations: 0, parameters: 0, flops: 0, bytes: 0 };
    const lists = { inputs: [], outputs: [], children: [], edges: [] as DrawnEdge[] };
    const key = (more.form ?? form) === "module" ? path : `${path}:${more.form ?? form}`;
    this.scopes.push({
      form,
      title,
      path,
      key,
      parent,
      failed: false,
      ...numbers,
      ...lists,
      ...more,
    } as Writable<DrawnScope>);
    return this.scopes.length - 1;
  }

  #put(scope: number, child: Child, sources: readonly Child[]): void {
    this.#scope(scope).children.push(child);
    sources.forEach((source, entry) => this.edge(scope, source, child, 0, isScope(child) ? entry : 0));
  }

  #ports(scope: number, side: "inputs" | "outputs", port: number): void {
    const ports = this.#scope(scope)[side];
    while (ports.length <= port) {
      ports.push(0);
    }
  }

  #scope(scope: number): Writable<DrawnScope> {
    const found = this.scopes[scope];
    if (found === undefined) {
      throw new Error(`There is no scope ${String(scope)}`);
    }
    return found;
  }
}

/** `x → Block × times → output`, where each block is `linear → relu` in a module of its own. */
export function repeated(times: number): { sketch: Sketch; repeat: number; members: number[] } {
  const sketch = new Sketch();
  const x = sketch.node(0, "x", [], { role: "input" });
  const last = times - 1;
  const path = `h.0 … h.${String(last)}`;
  const repeat = sketch.scope(0, "Block", path, [x], { form: "repeat", times });
  const members: number[] = [];
  for (let number = 0; number < times; number += 1) {
    const member = sketch.scope(
      repeat,
      "Block",
      `h.${String(number)}`,
      number === 0 ? [] : [flip(members[number - 1] ?? 0)],
    );
    const linear = sketch.node(member, "linear", [], { flops: 10 });
    sketch.enter(member, linear);
    sketch.leave(member, sketch.node(member, "relu", [linear]));
    members.push(member);
  }
  sketch.enter(repeat, flip(members[0] ?? 0));
  sketch.leave(repeat, flip(members[last] ?? 0));
  sketch.node(0, "output", [flip(repeat)], { role: "output" });
  return { sketch, repeat, members };
}
