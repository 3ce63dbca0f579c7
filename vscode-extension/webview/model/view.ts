/** What is open, and so which boxes there are to see. */

import { flip, isScope, WHOLE, type Child } from "./child";
import { CLOSED, contentOf, OPEN, UNROLLED } from "./content";
import { at } from "./list";
import type { Model } from "./model";

/** Keys of the scopes that are open, and of the repeats that are unrolled. */
export interface Keys {
  readonly open: readonly string[];
  readonly unrolled: readonly string[];
}

/** The state of every scope; the whole is always open. */
export class View {
  readonly #states: Uint8Array;

  constructor(readonly model: Model) {
    this.#states = new Uint8Array(model.scopes.length);
    this.#states[0] = OPEN;
  }

  /** Of each scope, as {@link CLOSED} and so on. */
  get states(): Uint8Array {
    return this.#states;
  }

  keys(): Keys {
    const open: string[] = [];
    const unrolled: string[] = [];
    this.model.scopes.forEach(({ key }, scope) => {
      if (scope > 0 && this.state(scope) !== CLOSED) {
        open.push(key);
      }
      if (this.state(scope) === UNROLLED) {
        unrolled.push(key);
      }
    });
    return { open, unrolled };
  }

  /** Open what had these keys in another drawing of the same class. */
  restore(open: Iterable<string>, unrolled: Iterable<string>): void {
    for (const [keys, state] of [[open, OPEN] as const, [unrolled, UNROLLED] as const]) {
      for (const key of keys) {
        const scope = this.model.byKey(key);
        if (scope !== undefined) {
          this.#states[scope] = state;
        }
      }
    }
  }

  state(scope: number): number {
    return at(this.#states, scope);
  }

  isOpen(child: Child): boolean {
    return isScope(child) && this.state(flip(child)) !== CLOSED;
  }

  /** The scope whose children are drawn in the open box of this one. */
  content(scope: number): number {
    return contentOf(this.model.scopes, scope, this.state(scope));
  }

  toggle(child: Child): void {
    if (child !== WHOLE && isScope(child)) {
      this.#states[flip(child)] = this.isOpen(child) ? CLOSED : OPEN;
    }
  }

  /** Show every member of a repeat, or only the first again. */
  toggleUnrolled(child: Child): void {
    if (isScope(child) && this.model.scope(flip(child)).form === "repeat") {
      this.#states[flip(child)] = this.state(flip(child)) === UNROLLED ? OPEN : UNROLLED;
    }
  }

  /** Open everything; repeats stay folded. */
  openAll(): void {
    this.#states.forEach((state, scope) => (this.#states[scope] = Math.max(state, OPEN)));
  }

  closeAll(): void {
    this.#states.fill(CLOSED, 1);
  }

  /** Open whatever hides a box. */
  reveal(child: Child): void {
    let inner = child;
    for (const scope of this.model.around(child).reverse()) {
      this.#states[scope] = Math.max(this.state(scope), OPEN);
      if (this.#folds(scope, inner, child)) {
        this.#states[scope] = UNROLLED;
      }
      inner = flip(scope);
    }
  }

  /** The box itself, else the innermost one around it that is drawn. */
  visible(child: Child): Child {
    let seen = child;
    let inner = child;
    for (const scope of this.model.around(child).reverse()) {
      if ((this.state(scope) === CLOSED && !this.#stands(scope)) || this.#folds(scope, inner, child)) {
        seen = flip(scope);
      }
      inner = flip(scope);
    }
    return seen;
  }

  isVisible(child: Child): boolean {
    return this.visible(child) === child;
  }

  /** The open scope in whose box a visible child is drawn. */
  home(child: Child): number {
    const parent = this.model.parent(child);
    return this.#stands(parent) ? this.model.scope(parent).parent : parent;
  }

  /** The boxes drawn in the open box of a scope. */
  children(scope: number): readonly Child[] {
    return this.model.scope(this.content(scope)).children;
  }

  /** Whether it is the member that a folded repeat shows for all. */
  #stands(scope: number): boolean {
    const { parent } = this.model.scope(scope);
    return parent >= 0 && this.content(parent) === scope;
  }

  /** Whether a folded repeat hides `child`, which is in `member` or is it: only the first shows, and has no box. */
  #folds(repeat: number, member: Child, child: Child): boolean {
    const content = this.content(repeat);
    return content !== repeat && (flip(member) !== content || member === child);
  }
}
