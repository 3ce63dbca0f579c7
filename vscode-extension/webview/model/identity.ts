/** Finds the same box in another drawing of the same class. */

import { flip, isScope, type Child } from "./child";
import { at } from "./list";
import type { Model } from "./model";

/** What a box is called across drawings: names of nodes have numbers that change with every edit before them. */
export function identityOf(model: Model, child: Child): string {
  if (isScope(child)) {
    return model.scope(flip(child)).key;
  }
  const { title, role, scope } = model.node(child);
  return `${model.scope(scope).key}\n${role} ${title}\n${String(alike(model, child).indexOf(child))}`;
}

/** The box with that identity. */
export function withIdentity(model: Model, identity: string): Child | undefined {
  const [key = "", kind, number] = identity.split("\n");
  const scope = model.byKey(key);
  if (scope === undefined || kind === undefined) {
    return scope === undefined ? undefined : flip(scope);
  }
  const first = model.scope(scope).children.find((child) => {
    return !isScope(child) && `${model.node(child).role} ${model.node(child).title}` === kind;
  });
  return first === undefined ? undefined : alike(model, first)[Number(number)];
}

/** The nodes of the same scope with the same title and role. */
function alike(model: Model, node: Child): Child[] {
  const { title, role, scope } = model.node(node);
  return at(model.scopes, scope).children.filter((child) => {
    return !isScope(child) && model.node(child).title === title && model.node(child).role === role;
  });
}
