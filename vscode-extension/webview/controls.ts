/** What pointer and keys on the canvas do to the graph. */

import { isOnSign } from "./draw/boxes";
import type { Explorer } from "./explorer";
import { listen } from "./input";
import { onKey, type KeyActions } from "./keyboard";
import { isScope, type Child } from "./model/child";
import type { Stage } from "./stage";

/** What is done outside of the graph. */
export interface Outside {
  /** Show where a box comes from; `focus`: and go there. */
  readonly reveal: (child: Child | undefined, focus: boolean) => void;
  readonly details: () => void;
  readonly escape: () => void;
}

/** From now on the canvas can be used. */
export function control(stage: Stage, explorer: Explorer, outside: Outside): void {
  pointer(stage, explorer, outside);
  const { camera } = stage;
  const keys: KeyActions = {
    next: () => explorer.walk("next"),
    previous: () => explorer.walk("previous"),
    left: () => explorer.walk("left"),
    right: () => explorer.walk("right"),
    inside: () => explorer.walk("inside"),
    outside: () => explorer.walk("outside"),
    toggle: () => explorer.toggle(),
    unroll: () => explorer.toggleUnrolled(),
    reveal: (focus) => outside.reveal(explorer.selected, focus),
    expandAll: () => explorer.openAll(),
    collapseAll: () => explorer.closeAll(),
    fit: () => explorer.fit(),
    zoom: (factor) => camera.zoom(factor),
    details: outside.details,
    overview: () => {
      stage.minimap.toggle();
      stage.invalidate();
    },
    escape: outside.escape,
  };
  stage.canvas.addEventListener("keydown", (event) => onKey(event, keys));
}

function pointer(stage: Stage, explorer: Explorer, outside: Outside): void {
  const { canvas, camera } = stage;
  let clicked: Child | undefined; // which may move away before the second click, to make room for the details
  const at = (x: number, y: number): Child | undefined => {
    const point = camera.point(x, y);
    return stage.scene?.at(point.x, point.y);
  };
  const onSign = (child: Child, x: number, y: number): boolean => {
    const box = stage.scene?.box(child);
    const point = camera.point(x, y);
    const open = explorer.view?.isOpen(child) === true;
    return isScope(child) && box !== undefined && isOnSign(box, open, point.x, point.y);
  };
  listen(canvas, camera, {
    hover: (x, y) => {
      const child = at(x, y);
      canvas.classList.toggle("clickable", child !== undefined);
      explorer.hover(child === undefined || explorer.view?.isOpen(child) === true ? undefined : child);
    },
    leave: () => explorer.hover(undefined),
    click: (x, y) => {
      const child = at(x, y);
      clicked = undefined;
      if (child !== undefined && onSign(child, x, y)) {
        explorer.toggle(child);
        return;
      }
      clicked = child;
      explorer.select(child);
      outside.reveal(child, false);
    },
    doubleClick: (x, y) => {
      const child = clicked;
      clicked = undefined;
      const now = at(x, y);
      if (child === undefined || (now !== undefined && onSign(now, x, y))) {
        return;
      }
      if (isScope(child)) {
        explorer.toggle(child);
      } else {
        outside.reveal(child, true);
      }
    },
  });
}
