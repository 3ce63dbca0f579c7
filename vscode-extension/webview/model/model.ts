/** A drawing with what is asked of it all the time: who is where, and under which key. */

import type { DrawnNode, DrawnScope, DrawnValue, Place, PlacedDrawing } from "../../src/protocol";
import { flip, isScope, type Child } from "./child";
import { at } from "./list";

/** Never changes; what is open is in the view. */
export class Model {
  readonly nodes: readonly DrawnNode[];
  readonly scopes: readonly DrawnScope[];
  readonly #byKey = new Map<string, number>();
  /** Place of each node and scope among its parent's children. */
  readonly #nodePlace: Int32Array;
  readonly #scopePlace: Int32Array;
  #byPlace: Map<number, Child[]> | undefined;

  constructor(readonly drawing: PlacedDrawing) {
    this.nodes = drawing.nodes;
    this.scopes = drawing.scopes;
    this.#nodePlace = new Int32Array(this.nodes.length);
    this.#scopePlace = new Int32Array(this.scopes.length);
    this.scopes.forEach((scope, number) => {
      this.#byKey.set(scope.key, number);
      scope.children.forEach((child, place) => {
        if (isScope(child)) {
          this.#scopePlace[flip(child)] = place;
        } else {
          this.#nodePlace[child] = place;
        }
      });
    });
  }

  node(child: Child): DrawnNode {
    return at(this.nodes, child);
  }

  scope(number: number): DrawnScope {
    return at(this.scopes, number);
  }

  value(number: number): DrawnValue | undefined {
    return this.drawing.values[number];
  }

  /** The scope with a key. */
  byKey(key: string): number | undefined {
    return this.#byKey.get(key);
  }

  /** The scope that a child is in; -1 for the whole. */
  parent(child: Child): number {
    return isScope(child) ? this.scope(flip(child)).parent : this.node(child).scope;
  }

  /** Its number among the children of its parent. */
  placeAmong(child: Child): number {
    return isScope(child) ? at(this.#scopePlace, flip(child)) : at(this.#nodePlace, child);
  }

  /** The expression that made it. */
  place(child: Child): Place | undefined {
    const place = isScope(child) ? this.scope(flip(child)).place : this.node(child).place;
    return this.drawing.places[place];
  }

  /** Scopes around a child, from the outermost; the whole comes first. */
  around(child: Child): number[] {
    const found: number[] = [];
    for (let scope = this.parent(child); scope !== -1; scope = this.scope(scope).parent) {
      found.unshift(scope);
    }
    return found;
  }

  /** Everything that was made by some expressions. */
  ofPlaces(places: readonly number[]): Child[] {
    this.#byPlace ??= this.#sortByPlace();
    return places.flatMap((place) => this.#byPlace?.get(place) ?? []);
  }

  #sortByPlace(): Map<number, Child[]> {
    const found = new Map<number, Child[]>();
    const add = (place: number, child: Child): void => {
      const there = found.get(place);
      if (there === undefined) {
        found.set(place, [child]);
      } else {
        there.push(child);
      }
    };
    this.scopes.forEach((scope, number) => add(scope.place, flip(number)));
    this.nodes.forEach((node, number) => {
      if (node.role !== "reference") {
        add(node.place, number);
      }
    });
    found.delete(-1);
    return found;
  }
}
