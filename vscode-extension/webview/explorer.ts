/** What is open, selected and found in the drawing that is shown. */

import { anchorOf, hold, isInWindow, middle, uncover, type Anchor } from "./anchor";
import { LayoutClient, type Arrangement } from "./layout/client";
import { isScope, WHOLE, type Child } from "./model/child";
import { identityOf, withIdentity } from "./model/identity";
import { Model } from "./model/model";
import { search } from "./model/search";
import { View, type Keys } from "./model/view";
import { sibling, walk, type Direction } from "./model/walk";
import type { PlacedDrawing } from "../src/protocol";
import { beside } from "./scene/beside";
import { Scene } from "./scene/scene";
import { layoutGraph } from "./scene/sizes";
import { trace } from "./scene/trace";
import type { Stage } from "./stage";

/** Boxes that are gone to are at least this big. */
const READABLE = 0.75;
/** The first picture is at least this big, even if not all of it can be seen. */
const FIRST = 0.7;

/** What the explorer tells of. */
export interface Listener {
  /** The selection is another one, or something else about it changed. */
  readonly selected: (child: Child | undefined) => void;
  /** A layout is being made, or is there. */
  readonly busy: (busy: boolean) => void;
  /** What is open changed. */
  readonly opened: () => void;
  readonly failed: (message: string) => void;
  /** Layouts are made in the page, which stands still meanwhile. */
  readonly withoutWorker: (reason: string) => void;
}

/** Changes the view, has it laid out, and puts it on the stage. */
export class Explorer {
  readonly #layout: LayoutClient;
  #view: View | undefined;
  #selected: Child | undefined;
  #hits: readonly Child[] = [];
  #cursor: readonly number[] = [];
  #anchor: Anchor | undefined;
  /** Where the camera goes once it is laid out; `"start"`: to the beginning. */
  #goal: Child | "start" | undefined;

  constructor(
    private readonly stage: Stage,
    worker: string,
    private readonly listener: Listener,
  ) {
    this.#layout = new LayoutClient(
      worker,
      (arrangement) => this.#arranged(arrangement),
      listener.failed,
      listener.withoutWorker,
    );
  }

  get view(): View | undefined {
    return this.#view;
  }

  get model(): Model | undefined {
    return this.#view?.model;
  }

  get selected(): Child | undefined {
    return this.#selected;
  }

  /** Another drawing, with these scopes open; `keep`: of the same graph as the last, so the camera stays where it is. */
  show(drawing: PlacedDrawing, keep: boolean, { open, unrolled }: Keys): void {
    const old = this.#view;
    const view = new View(new Model(drawing));
    this.#view = view;
    view.restore(open, unrolled);
    const same = (child: Child | undefined): Child | undefined =>
      keep && old && child !== undefined ? withIdentity(view.model, identityOf(old.model, child)) : undefined;
    const anchor = keep ? middle(this.stage, this.#selected) : undefined;
    const anchored = same(anchor?.child);
    this.#anchor = anchor && anchored !== undefined ? { ...anchor, child: anchored } : undefined;
    this.#goal = keep ? this.#goal : "start";
    this.#selected = same(this.#selected);
    this.#hits = [];
    this.#cursor = [];
    this.#layout.use(layoutGraph(view.model, this.stage.ruler, this.stage.theme.fonts));
    this.#arrange();
  }

  /** There is no drawing. */
  clear(): void {
    this.#view = undefined;
    this.#selected = undefined;
    this.#hits = [];
    this.stage.show(undefined);
    this.listener.selected(undefined);
  }

  /** Fonts changed, so sizes did. */
  remeasure(): void {
    if (this.#view !== undefined) {
      this.#layout.use(layoutGraph(this.#view.model, this.stage.ruler, this.stage.theme.fonts));
      this.#arrange();
    }
  }

  select(child: Child | undefined): void {
    this.#selected = child;
    this.#mark();
    this.listener.selected(child);
  }

  /** Open what hides it, select it and bring it into the window. */
  goTo(child: Child): void {
    const view = this.#view;
    if (view === undefined) {
      return;
    }
    this.#selected = child;
    if (!view.isVisible(child)) {
      view.reveal(child);
      this.#goal = child;
      this.#arrange();
      this.listener.opened();
      this.select(child);
    } else {
      this.select(child);
      this.#center(child);
    }
  }

  toggle(child: Child | undefined = this.#selected): void {
    if (child !== undefined && isScope(child) && child !== WHOLE) {
      this.#change(child, (view) => view.toggle(child));
    }
  }

  toggleUnrolled(child: Child | undefined = this.#selected): void {
    if (child !== undefined && isScope(child)) {
      this.#change(child, (view) => view.toggleUnrolled(child));
    }
  }

  openAll(): void {
    this.#change(undefined, (view) => view.openAll());
  }

  closeAll(): void {
    this.#goal = "start";
    this.#change(undefined, (view) => view.closeAll());
  }

  fit(): void {
    const size = this.stage.scene?.size;
    if (size !== undefined) {
      this.stage.camera.go(this.stage.camera.fitting({ x: 0, y: 0, ...size }));
    }
  }

  /** The window has another size: what it hides now of the selected box comes back. */
  keepSelected(): void {
    if (this.#goal === "start") {
      this.#begin();
    }
    const child = this.#selected === undefined ? undefined : this.#view?.visible(this.#selected);
    if (child !== undefined && child !== WHOLE && !this.stage.camera.moving) {
      uncover(this.stage, child, true);
    }
  }

  /** From the selected box to another one. */
  walk(direction: Direction | "left" | "right"): void {
    const view = this.#view;
    const scene = this.stage.scene;
    if (view === undefined || scene === undefined) {
      return;
    }
    const from = this.#selected === undefined ? WHOLE : view.visible(this.#selected);
    const side = direction === "left" || direction === "right";
    const next =
      side && from !== WHOLE
        ? (beside(scene, view, from, direction) ?? sibling(view, from, direction === "left" ? -1 : 1))
        : walk(view, from, side ? "next" : direction);
    if (next !== undefined) {
      this.goTo(next);
    }
  }

  /** How many boxes have what is looked for. */
  search(query: string): number {
    this.#hits = this.model === undefined ? [] : search(this.model, query);
    this.#mark();
    return this.#hits.length;
  }

  goToHit(hit: number): void {
    const child = this.#hits[hit];
    if (child !== undefined) {
      this.goTo(child);
    }
  }

  /** The cursor of the editor is in these expressions. */
  follow(places: readonly number[]): void {
    this.#cursor = places;
    this.#mark();
    const [first] = this.stage.marks.cursor;
    const seen = [...this.stage.marks.cursor].some((child) => isInWindow(this.stage, child));
    if (first !== undefined && !seen) {
      this.#center(first);
    }
  }

  hover(child: Child | undefined): void {
    if (child !== this.stage.marks.hovered) {
      this.stage.mark({ hovered: child });
      this.#trace();
    }
  }

  #change(anchor: Child | undefined, change: (view: View) => void): void {
    if (this.#view !== undefined) {
      this.#anchor = anchor === undefined ? middle(this.stage, this.#selected) : anchorOf(this.stage, anchor);
      change(this.#view);
      this.#arrange();
      this.listener.opened();
    }
  }

  #arrange(): void {
    if (this.#view !== undefined) {
      this.listener.busy(true);
      this.#layout.arrange(this.#view.states);
    }
  }

  #arranged(arrangement: Arrangement): void {
    const view = this.#view;
    if (view === undefined) {
      return;
    }
    const scene = new Scene(view.model, view, arrangement);
    this.stage.show(scene);
    const { camera } = this.stage;
    if (this.#goal === "start") {
      this.#begin();
    } else if (this.#anchor !== undefined) {
      hold(this.stage, this.#anchor, view.visible(this.#anchor.child));
      uncover(this.stage, this.#anchor.child, false);
    }
    this.#mark();
    this.listener.selected(this.#selected);
    if (typeof this.#goal === "number") {
      this.#center(this.#goal);
    }
    this.#goal = this.#goal === "start" && camera.width <= 1 ? "start" : undefined;
    this.#anchor = undefined;
    this.listener.busy(false);
  }

  #begin(): void {
    const { camera, scene } = this.stage;
    if (scene !== undefined && camera.width > 1) {
      camera.set(camera.beginning({ x: 0, y: 0, ...scene.size }, FIRST));
      this.#goal = undefined;
    }
  }

  #center(child: Child): void {
    this.stage.measure(); // the details may have opened
    const visible = this.#view?.visible(child) ?? child;
    const box = this.stage.scene?.box(visible);
    if (box !== undefined && visible !== WHOLE) {
      this.stage.camera.go(this.stage.camera.showing(box, READABLE));
    }
  }

  #mark(): void {
    const view = this.#view;
    const visible = (children: readonly Child[]): ReadonlySet<Child> => {
      const shown = children.filter((child) => view?.isVisible(child) === true);
      return new Set(shown.length > 0 || view === undefined ? shown : children.map((child) => view.visible(child)));
    };
    const hits = new Set(view === undefined ? [] : this.#hits.map((child) => view.visible(child)));
    const selected = this.#selected === undefined ? undefined : view?.visible(this.#selected);
    this.stage.mark({ selected, cursor: visible(this.model?.ofPlaces(this.#cursor) ?? []), hits });
    this.#trace();
  }

  #trace(): void {
    const { scene, marks } = this.stage;
    const child = marks.hovered ?? marks.selected;
    this.stage.mark({ traced: scene !== undefined && child !== undefined ? trace(scene, child) : undefined });
  }
}
