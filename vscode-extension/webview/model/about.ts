/** Everything known about a box, in the order in which it is told. */

import { BORDER, type Place } from "../../src/protocol";
import { flip, isScope, type Child } from "./child";
import { bytes, count, fileOf, flops, plural, share } from "./format";
import type { Model } from "./model";

/** A line of a card. */
export interface Fact {
  readonly name: string;
  readonly text: string;
  /** Written in the editor's font. */
  readonly code?: boolean;
  /** Where a click leads to. */
  readonly to?: Child | undefined;
  readonly place?: Place | undefined;
}

/** Facts under a heading; the first heading is empty. */
export interface Section {
  readonly title: string;
  readonly facts: readonly Fact[];
}

/** What is told of any box. */
export interface About {
  readonly title: string;
  /** In a few words what it is, such as `call_function` or `module`. */
  readonly what: string;
  readonly failed: boolean;
  readonly sections: readonly Section[];
}

/** Of a node or a scope. */
export function about(model: Model, child: Child): About {
  return isScope(child) ? aboutScope(model, flip(child)) : aboutNode(model, child);
}

function aboutNode(model: Model, number: number): About {
  const node = model.node(number);
  const origin = node.origin >= 0 ? node.origin : undefined;
  const failed = node.failed ? [fact("State", "This operation failed")] : [];
  return {
    title: node.title,
    what: node.role === "operation" ? node.op : node.role,
    failed: node.failed,
    sections: sections([
      ["", [...failed, ...source(model, number)]],
      [
        "Node",
        [
          fact("Name", node.name, true),
          fact("Op", node.op, true),
          fact("Target", node.target, true),
          fact("Code", node.code, true),
          origin === undefined
            ? undefined
            : { name: "Stands for", text: model.node(origin).name, code: true, to: origin },
        ],
      ],
      ["Output", valueFacts(model, node.value)],
      ["Inputs", inputsOf(model, number)],
      [
        "Parameters and buffers",
        node.held.map(({ name, value, parameter }) =>
          fact(name, `${label(model, value)}${parameter ? "" : " · buffer"}`, true),
        ),
      ],
      ["Cost", costs(model, node)],
    ]),
  };
}

function aboutScope(model: Model, number: number): About {
  const scope = model.scope(number);
  const member = scope.form === "repeat" ? scope.children[0] : undefined;
  const names = { module: "module", repeat: "repeat", iteration: "iteration" } as const;
  return {
    title: scope.title,
    what: names[scope.form as keyof typeof names],
    failed: scope.failed,
    sections: sections([
      [
        "",
        [
          ...(scope.failed ? [fact("State", "Something inside failed")] : []),
          ...source(model, flip(number)),
          placed("Defined in", model.drawing.places[scope.definition]),
        ],
      ],
      [
        "Module",
        [
          fact("Class", scope.title, true),
          fact("Path", scope.path, true),
          scope.times > 1 ? fact("Repeated", `${plural(scope.times, "time")}; the first stands for all`) : undefined,
          member !== undefined && isScope(member)
            ? { name: "First", text: model.scope(flip(member)).path, code: true, to: member }
            : undefined,
          fact("Holds", plural(scope.operations, "operation")),
        ],
      ],
      ["Inputs", scope.inputs.map((value, entry) => fact(String(entry + 1), label(model, value), true))],
      ["Outputs", scope.outputs.map((value, exit) => fact(String(exit + 1), label(model, value), true))],
      ["Cost", costs(model, scope)],
    ]),
  };
}

/** Where each input comes from, as far as it is made in the same scope. */
function inputsOf(model: Model, number: number): (Fact | undefined)[] {
  const node = model.node(number);
  const edges = model.scope(node.scope).edges.filter(({ target }) => target === number);
  return node.inputs.map((value, index) => {
    const source =
      edges.find((edge, place) => edge.value === value && place >= Math.min(index, edges.length - 1)) ?? edges[index];
    const known = source !== undefined && source.source !== BORDER ? source.source : undefined;
    const name = known === undefined ? String(index + 1) : nameOf(model, known);
    return { ...fact(name, label(model, value), true), to: known };
  });
}

/** What a box is called in short. */
function nameOf(model: Model, child: Child): string {
  return isScope(child) ? model.scope(flip(child)).path || model.scope(flip(child)).title : model.node(child).name;
}

function valueFacts(model: Model, number: number): (Fact | undefined)[] {
  const value = model.value(number);
  if (value === undefined) {
    return [];
  }
  return [
    fact("Value", value.label, true),
    value.concrete === value.label ? undefined : fact("In this run", value.concrete, true),
    fact("Device", value.device, true),
    fact("Stride", value.stride.length > 0 ? `(${value.stride.join(", ")}) · not contiguous` : "", true),
  ];
}

interface Costs {
  readonly parameters: number;
  readonly flops: number;
  readonly bytes: number;
}

function costs(model: Model, { parameters, flops: operations, bytes: memory }: Costs): (Fact | undefined)[] {
  const whole = model.scope(0);
  const part = (one: number, all: number): string => (all > 0 && one !== all ? ` · ${share(one, all)} of all` : "");
  return [
    parameters > 0 ? fact("Parameters", `${count(parameters)}${part(parameters, whole.parameters)}`) : undefined,
    operations > 0 ? fact("FLOPs", `${flops(operations)}${part(operations, whole.flops)}`) : undefined,
    memory > 0 ? fact("Activations", `${bytes(memory)}${part(memory, whole.bytes)}`) : undefined,
  ];
}

function source(model: Model, child: Child): (Fact | undefined)[] {
  return [placed("Source", model.place(child))];
}

function placed(name: string, place: Place | undefined): Fact | undefined {
  return place && { name, text: `${fileOf(place.uri)}:${String(place.range.start.line + 1)}`, place };
}

function label(model: Model, value: number): string {
  return model.value(value)?.label ?? "";
}

function fact(name: string, text: string, code = false): Fact {
  return { name, text, code };
}

function sections(all: readonly (readonly [string, readonly (Fact | undefined)[]])[]): Section[] {
  return all
    .map(([title, facts]) => ({ title, facts: facts.filter((one) => one !== undefined && one.text !== "") as Fact[] }))
    .filter(({ facts }) => facts.length > 0);
}

/** In a sentence, for screen readers: `linear, f32[2, 64], in h.0.mlp`. */
export function spoken(model: Model, child: Child, open: boolean): string {
  const parent = model.parent(child);
  const path = parent >= 0 ? model.scope(parent).path || model.scope(parent).title : "";
  const within = path === "" ? "" : `in ${path}`;
  if (!isScope(child)) {
    const node = model.node(child);
    return [node.title, node.failed ? "failed" : "", label(model, node.value), within].filter(Boolean).join(", ");
  }
  const { title, times, outputs, failed } = model.scope(flip(child));
  const shapes = outputs.map((value) => label(model, value)).join(" and ");
  const parts = [
    title,
    times > 1 ? `${String(times)} times` : "",
    failed ? "failed inside" : "",
    open ? "open" : "closed",
    shapes,
    within,
  ];
  return parts.filter(Boolean).join(", ");
}
