/** Draws what is to be seen of a scene, and nothing else. */

import { HEADER } from "../layout/metrics";
import { flip, isScope, type Child } from "../model/child";
import { kindOf } from "../model/kinds";
import { boxIn, type Box, type Opened } from "../scene/scene";
import { drawClosed, drawOpen, fillOf } from "./boxes";
import { READABLE, type Frame } from "./frame";
import { drawLabels, drawLines } from "./lines";
import { drawMarks, drawMarksBehind } from "./marks";
import type { Surface } from "./surface";

/** Open boxes with less than this many pixels are drawn as if they were closed. */
const SMALLEST = 14;
/** When boxes get this small, only open boxes are drawn, each down to so many pixels. */
const FAR = 0.11;
const FAR_SMALLEST = 24;
/** Boxes that are drawn as if they were closed, but have more pixels than this, show the colours inside. */
const HINTED = 2;
/** Height of a title that is written in pixels. */
const FAR_TITLE = 11;

/** The title of an open box that is too far away to be read; it is written in pixels. */
interface FarTitle {
  readonly text: string;
  /** Middle of the text, in the drawing's units. */
  readonly x: number;
  readonly y: number;
  /** In pixels. */
  readonly room: number;
}

/** Draw a frame. The surface is in the drawing's units. */
export function paint(surface: Surface, frame: Frame): FarTitle[] {
  const titles: FarTitle[] = [];
  drawMarksBehind(surface, frame);
  const { whole } = frame.scene;
  if (whole !== undefined) {
    inside(surface, frame, whole, 0, titles);
  }
  drawMarks(surface, frame);
  return titles;
}

function inside(surface: Surface, frame: Frame, home: Opened, depth: number, titles: FarTitle[]): void {
  const far = frame.scale < FAR && depth > 0;
  const { children } = frame.scene.model.scope(home.content);
  drawLines(surface, frame, home);
  drawLabels(surface, frame, home, fillOf(frame, depth));
  children.forEach((child, place) => {
    const box = boxIn(home, place);
    if (!isSeen(frame, box)) {
      return;
    }
    const inner = isScope(child) ? frame.scene.opened.get(flip(child)) : undefined;
    if (inner === undefined) {
      if (!far || box.height * frame.scale > 0.7) {
        drawClosed(surface, frame, child, box);
        noteClosed(frame, child, box, titles);
      }
      return;
    }
    drawOpen(surface, frame, child, box, depth + 1);
    const coarse = isCoarse(frame, box);
    note(frame, child, box, coarse, titles);
    if (!coarse) {
      inside(surface, frame, inner, depth + 1, titles);
    } else if (box.height * frame.scale > HINTED) {
      hint(surface, frame, inner);
    }
  });
}

/** The colours of what is in a box that is too small for more. */
function hint(surface: Surface, frame: Frame, home: Opened): void {
  const { model } = frame.scene;
  model.scope(home.content).children.forEach((child, place) => {
    if (!isScope(child) || !frame.scene.opened.has(flip(child))) {
      const { x, y, width, height } = boxIn(home, place);
      surface.fillStyle = frame.theme.looks[kindOf(model, child)].border;
      surface.fillRect(x, y, width, height);
    }
  });
}

/** Whether nothing inside could be made out. */
function isCoarse({ scale }: Frame, { width, height }: Box): boolean {
  const smallest = scale < FAR ? FAR_SMALLEST : SMALLEST;
  return height * scale < smallest || width * scale < SMALLEST;
}

/** In the middle of an empty box; above the first boxes where these are seen. */
function note({ scene, scale }: Frame, child: Child, box: Box, coarse: boolean, titles: FarTitle[]): void {
  const [room, high] = [box.width * scale - 8, box.height * scale];
  const above = HEADER * scale > FAR_TITLE - 4 && scale < READABLE.title;
  if (room > 24 && (coarse ? high >= FAR_TITLE : above)) {
    const y = coarse ? box.y + box.height / 2 : box.y + (FAR_TITLE / 2 + 2) / scale;
    titles.push({ text: scene.model.scope(flip(child)).title, x: box.x + box.width / 2, y, room });
  }
}

/** On a box that is big enough for it, though its own letters would be too small. */
function noteClosed({ scene, scale, ruler, theme }: Frame, child: Child, box: Box, titles: FarTitle[]): void {
  if (scale < READABLE.title && box.height * scale >= FAR_TITLE) {
    const text = isScope(child) ? scene.model.scope(flip(child)).title : scene.model.node(child).title;
    const room = box.width * scale - 4;
    if (ruler.width(text, theme.fonts.title) <= 1.2 * room) {
      titles.push({ text, x: box.x + box.width / 2, y: box.y + box.height / 2, room });
    }
  }
}

function isSeen(frame: Frame, { x, y, width, height }: Box): boolean {
  return x <= frame.right && y <= frame.bottom && x + width >= frame.left && y + height >= frame.top;
}
