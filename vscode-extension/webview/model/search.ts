/** Finds boxes by what is written on them or known about them. */

import type { DrawnNode, DrawnScope } from "../../src/protocol";
import { flip, isScope, type Child } from "./child";
import { contentOf, OPEN } from "./content";
import type { Model } from "./model";

/**
 * Boxes with all words of the query, in order of execution.
 *
 * Of equal members of a repeat the first stands for the others, unless only they have what is looked for.
 */
export function search(model: Model, query: string): Child[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) {
    return [];
  }
  const first: Child[] = [];
  const others: Child[] = [];
  const visit = (scope: number, folded: boolean): void => {
    const { form, children } = model.scope(scope);
    const stands = form === "repeat" ? contentOf(model.scopes, scope, OPEN) : scope;
    for (const child of children) {
      const hidden = folded || (stands !== scope && flip(child) !== stands);
      const found = words.every((word) => textOf(model, child).includes(word));
      if (found) {
        (hidden || flip(child) === stands ? others : first).push(child);
      }
      if (isScope(child)) {
        visit(flip(child), hidden);
      }
    }
  };
  visit(0, false);
  return first.length > 0 ? first : others;
}

function textOf(model: Model, child: Child): string {
  const text = isScope(child) ? scopeText(model, model.scope(flip(child))) : nodeText(model, model.node(child));
  return text.toLowerCase();
}

function nodeText(model: Model, node: DrawnNode): string {
  const { title, name, target, value, scope, held } = node;
  const names = held.map((one) => one.name).join("\n");
  return [title, name, target, shape(model, value), model.scope(scope).path, names].join("\n");
}

function scopeText(model: Model, { title, path, outputs }: DrawnScope): string {
  return [title, path, ...outputs.map((value) => shape(model, value))].join("\n");
}

function shape(model: Model, value: number): string {
  const found = model.value(value);
  return found === undefined ? "" : `${found.label}\n${found.concrete}`;
}
