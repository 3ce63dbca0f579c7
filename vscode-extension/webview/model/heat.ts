/** How much of something each box takes. */

import { flip, isScope, type Child } from "./child";
import { bytes, count, flops } from "./format";
import type { Model } from "./model";

/** What can be looked at. */
export const HEATS = [
  { id: "none", title: "No heat", format: String },
  { id: "flops", title: "FLOPs", format: flops },
  { id: "parameters", title: "Parameters", format: count },
  { id: "bytes", title: "Activation memory", format: bytes },
] as const;

export type HeatId = (typeof HEATS)[number]["id"];

/** What a box takes, everything inside included. */
export function amount(model: Model, heat: HeatId, child: Child): number {
  if (heat === "none") {
    return 0;
  }
  return isScope(child) ? model.scope(flip(child))[heat] : model.node(child)[heat];
}

/** What takes most of the boxes that are closed. */
export function most(model: Model, heat: HeatId, shown: Iterable<Child>): number {
  let found = 0;
  for (const child of shown) {
    found = Math.max(found, amount(model, heat, child));
  }
  return found;
}

/** From 0 to 1; the root makes small amounts visible beside big ones. */
export function warmth(part: number, whole: number): number {
  return whole > 0 ? Math.sqrt(Math.min(1, part / whole)) : 0;
}
