/** Boxes side by side. */

import type { Child } from "../model/child";
import type { View } from "../model/view";
import type { Box, Scene } from "./scene";

/** The nearest box to the left or right that is, at least in part, at the same height. */
export function beside(scene: Scene, view: View, from: Child, side: "left" | "right"): Child | undefined {
  const here = scene.box(from);
  if (here === undefined) {
    return undefined;
  }
  let found: Child | undefined;
  let nearest = Infinity;
  for (const child of view.children(view.home(from))) {
    const box = child === from ? undefined : scene.box(child);
    const distance =
      box === undefined || !overlaps(here, box) ? -1 : (middle(box) - middle(here)) * (side === "left" ? -1 : 1);
    if (distance > 0 && distance < nearest) {
      [found, nearest] = [child, distance];
    }
  }
  return found;
}

function overlaps(one: Box, other: Box): boolean {
  return one.y < other.y + other.height && other.y < one.y + one.height;
}

function middle({ x, width }: Box): number {
  return x + width / 2;
}
