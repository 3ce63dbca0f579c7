/** What is written on boxes, and so how big they are. */

import { flip, isScope, type Child } from "../model/child";
import { count } from "../model/format";
import type { Model } from "../model/model";

/** One or two lines, and for a repeat how many it is. */
export interface Caption {
  readonly title: string;
  readonly detail: string;
  readonly badge: string;
}

/** Of a closed box, or of the title of an open one. */
export function captionOf(model: Model, child: Child): Caption {
  if (isScope(child)) {
    const { form, title, times } = model.scope(flip(child));
    return { title, detail: shortPath(model, flip(child)), badge: form === "repeat" ? `× ${String(times)}` : "" };
  }
  const node = model.node(child);
  return { title: node.title, detail: detailOf(model, child), badge: "" };
}

/** The path of a scope seen from the module around it. */
export function shortPath(model: Model, scope: number): string {
  const { form, path, parent } = model.scope(scope);
  const around = parent >= 0 && form === "module" ? model.scope(parent) : undefined;
  return around?.form === "module" ? within(path, around.path) : path;
}

/** What tells a node from others of its kind: the module it is, or the parameters that it reads. */
function detailOf(model: Model, child: Child): string {
  const node = model.node(child);
  if (node.op === "call_module") {
    return within(node.target, model.scope(node.scope).path);
  }
  if (node.role === "reference" || node.role === "input" || node.role === "output") {
    return "";
  }
  const first = node.held.find(({ parameter }) => parameter) ?? node.held[0];
  if (first === undefined) {
    return node.parameters > 0 ? `${count(node.parameters)} parameters` : "";
  }
  const shape = model.value(first.value)?.shape ?? [];
  const name = first.name.slice(first.name.lastIndexOf(".") + 1);
  const more = node.held.length > 1 ? `  +${String(node.held.length - 1)}` : "";
  return `${name}${shape.length > 0 ? ` ${shape.join("×")}` : ""}${more}`;
}

/** A module's path seen from the module around it. */
function within(path: string, around: string): string {
  return around !== "" && path.startsWith(`${around}.`) ? path.slice(around.length + 1) : path;
}
