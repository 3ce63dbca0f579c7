/** Keeps what the user looks at where it is, while boxes around it open and close. */

import type { Child } from "./model/child";
import type { Box } from "./scene/scene";
import type { Stage } from "./stage";

/** A box, and the point of the window at which its corner is to stay. */
export interface Anchor {
  readonly child: Child;
  readonly x: number;
  readonly y: number;
}

/** Where a box is now. */
export function anchorOf({ camera, scene }: Stage, child: Child): Anchor | undefined {
  const box = scene?.box(child);
  return box && { child, x: (box.x - camera.x) * camera.scale, y: (box.y - camera.y) * camera.scale };
}

/** The selected box, where that is to be seen, else what is in the middle of the window. */
export function middle(stage: Stage, selected: Child | undefined): Anchor | undefined {
  const { camera, scene } = stage;
  if (selected !== undefined && isInWindow(stage, selected)) {
    return anchorOf(stage, selected);
  }
  const { x, y } = camera.point(camera.width / 2, camera.height / 3);
  const child = scene?.at(x, y) ?? scene?.leaves.find((leaf) => (scene.box(leaf)?.y ?? -1) >= y);
  return child === undefined ? undefined : anchorOf(stage, child);
}

/** Move the camera so that the box, or another one in its stead, is where it was. */
export function hold({ camera, scene }: Stage, anchor: Anchor, child: Child): void {
  const box = scene?.box(child);
  if (box !== undefined) {
    const { scale } = camera;
    camera.set({ x: box.x - anchor.x / scale, y: box.y - anchor.y / scale, scale });
  }
}

/** Move the camera so far that a box which the right border, or the lower one, has come to hide can be seen. */
export function uncover({ camera, scene }: Stage, child: Child, below: boolean): void {
  const box = scene?.box(child);
  if (box !== undefined) {
    const dx = hidden(box.x, box.width, camera.x, camera.right);
    const dy = below ? hidden(box.y, box.height, camera.y, camera.bottom) : 0;
    if (dx > 0 || dy > 0) {
      camera.pan(dx * camera.scale, dy * camera.scale);
    }
  }
}

/** How much further a window has to go to show the end of a box, its start permitting. */
function hidden(start: number, size: number, from: number, to: number): number {
  const gap = 16;
  const beyond = start + size + gap - to;
  return beyond > 0 && beyond < 2 * (to - from) ? Math.max(0, Math.min(beyond, start - gap - from)) : 0;
}

/** Whether any of a box can be seen. */
export function isInWindow({ camera, scene }: Stage, child: Child): boolean {
  const box: Box | undefined = scene?.box(child);
  return (
    box !== undefined &&
    box.x < camera.right &&
    box.y < camera.bottom &&
    box.x + box.width > camera.x &&
    box.y + box.height > camera.y
  );
}
