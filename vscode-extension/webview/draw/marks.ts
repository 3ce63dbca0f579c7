/** Draws what makes boxes stand out: the selection, the cursor of the editor, hits of a search. */

import { WHOLE, type Child } from "../model/child";
import type { Box } from "../scene/scene";
import type { Frame } from "./frame";
import type { Surface } from "./surface";

/** Behind the boxes. */
export function drawMarksBehind(surface: Surface, frame: Frame): void {
  surface.fillStyle = frame.theme.cursor;
  for (const box of boxes(frame, frame.marks.cursor)) {
    around(surface, frame, box, 6);
    surface.fill();
  }
}

/** Above them. */
export function drawMarks(surface: Surface, frame: Frame): void {
  const { theme, marks, scale } = frame;
  surface.setLineDash([]);
  const ring = (children: Iterable<Child>, colour: string, width: number, gap: number): void => {
    surface.strokeStyle = colour;
    surface.lineWidth = Math.max(width, width / scale);
    for (const box of boxes(frame, children)) {
      around(surface, frame, box, gap);
      surface.stroke();
    }
  };
  ring(marks.cursor, theme.cursor, 3, 3);
  ring(marks.hits, theme.hit, 1.5, 2);
  if (marks.hovered !== undefined && marks.hovered !== marks.selected) {
    ring([marks.hovered], theme.hover, 1.2, 0);
  }
  if (marks.selected !== undefined) {
    ring([marks.selected], theme.selected, marks.focused ? 2.5 : 1.8, 2);
  }
}

function* boxes({ scene, left, right, top, bottom }: Frame, children: Iterable<Child>): Generator<Box> {
  for (const child of children) {
    const box = child === WHOLE ? undefined : scene.box(child);
    if (box && box.x <= right && box.y <= bottom && box.x + box.width >= left && box.y + box.height >= top) {
      yield box;
    }
  }
}

function around(surface: Surface, { scale }: Frame, { x, y, width, height }: Box, gap: number): void {
  const outer = Math.max(gap, gap / scale / 2);
  surface.beginPath();
  surface.roundRect(x - outer, y - outer, width + 2 * outer, height + 2 * outer, 7 + outer);
}
