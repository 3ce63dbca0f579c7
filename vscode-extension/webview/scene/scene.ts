/** Where every visible box is. */

import type { Arrangement } from "../layout/client";
import type { Block } from "../layout/types";
import { flip, isScope, WHOLE, type Child } from "../model/child";
import { at } from "../model/list";
import type { Model } from "../model/model";
import type { View } from "../model/view";

/** In the drawing's units, from the upper left corner of the whole. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** An open box: its corner, and what is in it. */
export interface Opened {
  readonly scope: number;
  /** The scope whose children and edges are in it. */
  readonly content: number;
  readonly block: Block;
  readonly x: number;
  readonly y: number;
}

/** What the layout was made for; stays as it is while the view changes. */
export class Scene {
  readonly opened = new Map<number, Opened>();
  /** Closed boxes and nodes to be seen. */
  readonly leaves: Child[] = [];
  readonly #homes = new Map<number, number>();

  constructor(
    readonly model: Model,
    view: View,
    arrangement: Arrangement,
  ) {
    this.#place(view, arrangement, 0, 0, 0);
  }

  get whole(): Opened | undefined {
    return this.opened.get(0);
  }

  get size(): { width: number; height: number } {
    return { width: this.whole?.block.width ?? 0, height: this.whole?.block.height ?? 0 };
  }

  /** The open box that a child is drawn in; undefined when it is not drawn. */
  home(child: Child): Opened | undefined {
    const parent = this.model.parent(child);
    const home = this.opened.get(this.#homes.get(parent) ?? -1);
    return home?.content === parent ? home : undefined;
  }

  /** Where a child is drawn. */
  box(child: Child): Box | undefined {
    if (child === WHOLE) {
      return { x: 0, y: 0, ...this.size };
    }
    const home = this.home(child);
    return home === undefined ? undefined : boxIn(home, this.model.placeAmong(child));
  }

  /** The innermost box at a point; undefined outside of all. */
  at(x: number, y: number): Child | undefined {
    let found: Child | undefined;
    for (let here = this.whole; here !== undefined;) {
      const child = this.#childAt(here, x, y);
      if (child === undefined) {
        break;
      }
      found = child;
      here = isScope(child) ? this.opened.get(flip(child)) : undefined;
    }
    return found;
  }

  #childAt(home: Opened, x: number, y: number): Child | undefined {
    const { boxes } = home.block;
    const place = this.model.scope(home.content).children.findIndex((_, number) => {
      const [left, top] = [x - home.x - at(boxes, 4 * number), y - home.y - at(boxes, 4 * number + 1)];
      return left >= 0 && top >= 0 && left <= at(boxes, 4 * number + 2) && top <= at(boxes, 4 * number + 3);
    });
    return this.model.scope(home.content).children[place];
  }

  #place(view: View, arrangement: Arrangement, scope: number, x: number, y: number): void {
    const block = arrangement[scope];
    if (block === undefined) {
      return;
    }
    const content = view.content(scope);
    const home = { scope, content, block, x, y };
    this.opened.set(scope, home);
    this.#homes.set(content, scope);
    this.model.scope(content).children.forEach((child, place) => {
      if (view.isOpen(child)) {
        const box = boxIn(home, place);
        this.#place(view, arrangement, flip(child), box.x, box.y);
      } else {
        this.leaves.push(child);
      }
    });
  }
}

/** The box of the child at this place among its siblings. */
export function boxIn({ block, x, y }: Opened, place: number): Box {
  const { boxes } = block;
  return {
    x: x + at(boxes, 4 * place),
    y: y + at(boxes, 4 * place + 1),
    width: at(boxes, 4 * place + 2),
    height: at(boxes, 4 * place + 3),
  };
}
