/** Pointer and wheel on the canvas. */

import type { Camera } from "./camera";

/** What the pointer does, in pixels of the canvas. */
export interface PointerActions {
  readonly hover: (x: number, y: number) => void;
  readonly leave: () => void;
  readonly click: (x: number, y: number) => void;
  readonly doubleClick: (x: number, y: number) => void;
}

/** A press that moves further than this is no click. */
const DRAG = 4;
const WHEEL_ZOOM = 0.0022;
const LINE = 16;

/** Dragging and the wheel move the camera; with Ctrl, or two fingers, the wheel zooms. */
export function listen(canvas: HTMLCanvasElement, camera: Camera, actions: PointerActions): void {
  const pointers = new Map<number, { x: number; y: number }>();
  let moved = 0;
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button === 0 || event.button === 1) {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
      moved = pointers.size > 1 ? Infinity : 0;
    }
  });
  canvas.addEventListener("pointermove", (event) => {
    const last = pointers.get(event.pointerId);
    if (last === undefined) {
      actions.hover(event.offsetX, event.offsetY);
      return;
    }
    const now = { x: event.offsetX, y: event.offsetY };
    moved += Math.hypot(now.x - last.x, now.y - last.y);
    if (moved < DRAG) {
      return;
    }
    canvas.classList.add("dragging");
    const other = [...pointers.entries()].find(([id]) => id !== event.pointerId)?.[1];
    if (other === undefined) {
      camera.pan(last.x - now.x, last.y - now.y);
    } else {
      const before = Math.hypot(last.x - other.x, last.y - other.y);
      const after = Math.hypot(now.x - other.x, now.y - other.y);
      camera.zoom(after / Math.max(1, before), (now.x + other.x) / 2, (now.y + other.y) / 2);
    }
    pointers.set(event.pointerId, now);
  });
  const end = (event: PointerEvent): void => {
    const pressed = pointers.delete(event.pointerId);
    canvas.classList.remove("dragging");
    if (pressed && event.type === "pointerup" && moved < DRAG && event.button === 0) {
      actions.click(event.offsetX, event.offsetY);
    }
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
  canvas.addEventListener("pointerleave", actions.leave);
  canvas.addEventListener("dblclick", (event) => actions.doubleClick(event.offsetX, event.offsetY));
  canvas.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const unit = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : LINE;
      if (event.ctrlKey || event.metaKey) {
        const delta = Math.max(-120, Math.min(120, event.deltaY * unit));
        camera.zoom(Math.exp(-delta * WHEEL_ZOOM), event.offsetX, event.offsetY);
      } else if (event.shiftKey && event.deltaX === 0) {
        camera.pan(event.deltaY * unit, 0);
      } else {
        camera.pan(event.deltaX * unit, event.deltaY * unit);
      }
    },
    { passive: false },
  );
}
