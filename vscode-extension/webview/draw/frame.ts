/** Everything that one picture depends on. */

import type { Child } from "../model/child";
import type { HeatId } from "../model/heat";
import type { Ruler } from "../scene/fonts";
import type { Scene } from "../scene/scene";
import type { Trace } from "../scene/trace";
import type { Theme } from "./theme";

/** A picture of a part of a scene. */
export interface Frame {
  readonly scene: Scene;
  readonly theme: Theme;
  readonly ruler: Ruler;
  /** Pixels for one unit of the drawing. */
  readonly scale: number;
  /** What is to be seen, in the drawing's units. */
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly heat: HeatId;
  /** What takes most, for the heat. */
  readonly hottest: number;
  readonly marks: Marks;
}

/** Boxes that stand out. */
export interface Marks {
  readonly selected: Child | undefined;
  /** The lines of the selected box, or of the one under the pointer. */
  readonly traced: Trace | undefined;
  readonly hovered: Child | undefined;
  /** What the cursor of the editor is in. */
  readonly cursor: ReadonlySet<Child>;
  readonly hits: ReadonlySet<Child>;
  /** Whether the selected box has the keyboard. */
  readonly focused: boolean;
}

/** Nothing stands out. */
export const NO_MARKS: Marks = {
  selected: undefined,
  traced: undefined,
  hovered: undefined,
  cursor: new Set(),
  hits: new Set(),
  focused: false,
};

/** From these scales on, in pixels for a unit, things can be made out. */
export const READABLE = { title: 0.42, detail: 0.55, label: 0.6, arrow: 0.28, round: 0.3, curve: 0.16 } as const;
