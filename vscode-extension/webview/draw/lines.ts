/** Draws the lines inside an open box. */

import { at } from "../model/list";
import type { Opened } from "../scene/scene";
import { lineLabel } from "../scene/sizes";
import { READABLE, type Frame } from "./frame";
import type { Surface } from "./surface";

const ARROW = 7;
const WIDTH = 1.2;
const STRONG = 2.2;
/** Lines over fewer pixels from top to bottom are left out. */
const SHORTEST = 2;

/** All lines that cross what is to be seen; those that are traced on top of the others. */
export function drawLines(surface: Surface, frame: Frame, home: Opened): void {
  const { theme, marks } = frame;
  const incoming = marks.traced?.incoming.get(home.scope);
  const outgoing = marks.traced?.outgoing.get(home.scope);
  const plain: number[] = [];
  for (let line = 0; line < home.block.edges.length; line += 1) {
    if (isSeen(frame, home, line) && incoming?.has(line) !== true && outgoing?.has(line) !== true) {
      plain.push(line);
    }
  }
  stroke(surface, frame, home, plain, theme.line, WIDTH);
  stroke(surface, frame, home, [...(incoming ?? [])], theme.incoming, STRONG);
  stroke(surface, frame, home, [...(outgoing ?? [])], theme.outgoing, STRONG);
}

/** The shapes on the lines, each on a patch of the background. */
export function drawLabels(surface: Surface, frame: Frame, home: Opened, background: string): void {
  const { scene, theme, ruler } = frame;
  if (frame.scale < READABLE.label) {
    return;
  }
  const { labels, edges, more } = home.block;
  surface.font = theme.fonts.label;
  surface.textAlign = "center";
  surface.textBaseline = "middle";
  const all = scene.model.scope(home.content).edges;
  edges.forEach((edge, line) => {
    const [x, y] = [home.x + at(labels, 2 * line), home.y + at(labels, 2 * line + 1)];
    if (!(x > frame.left - 120 && x < frame.right + 120 && y > frame.top - 10 && y < frame.bottom + 10)) {
      return; // NaN as well
    }
    const label = lineLabel(scene.model, at(all, edge).value, ruler, theme.fonts);
    const text = at(more, line) > 0 ? `${label} +${String(at(more, line))}` : label;
    const width = ruler.width(text, theme.fonts.label) + 6;
    surface.fillStyle = background;
    surface.fillRect(x - width / 2, y - 7, width, 14);
    surface.fillStyle = theme.labelText;
    surface.fillText(text, x, y + 0.5);
  });
}

function isSeen(frame: Frame, { x, y, block: { points, starts } }: Opened, line: number): boolean {
  let [left, right] = [Infinity, -Infinity];
  const [first, end] = [at(starts, line), at(starts, line + 1)];
  for (let point = first; point < end; point += 1) {
    const px = at(points, 2 * point);
    left = px < left ? px : left;
    right = px > right ? px : right;
  }
  const [from, to] = [at(points, 2 * first + 1), at(points, 2 * end - 1)]; // lines go down, or up when data flows back
  return (
    Math.abs(to - from) * frame.scale > SHORTEST &&
    x + right >= frame.left &&
    x + left <= frame.right &&
    y + Math.max(from, to) >= frame.top &&
    y + Math.min(from, to) <= frame.bottom
  );
}

function stroke(
  surface: Surface,
  frame: Frame,
  home: Opened,
  lines: readonly number[],
  colour: string,
  width: number,
): void {
  if (lines.length === 0) {
    return;
  }
  const arrows = frame.scale >= READABLE.arrow;
  surface.strokeStyle = colour;
  surface.fillStyle = colour;
  surface.lineWidth = Math.max(width, 0.7 / frame.scale);
  surface.beginPath();
  lines.forEach((line) => trail(surface, home, line, frame.scale >= READABLE.curve, arrows ? ARROW - 1 : 0));
  surface.stroke();
  if (arrows) {
    surface.beginPath();
    lines.forEach((line) => arrow(surface, home, line));
    surface.fill();
  }
}

/** Curves that leave and reach boxes straight down, and go through the points between without turning back. */
function trail(surface: Surface, { x, y, block }: Opened, line: number, curved: boolean, short: number): void {
  const { points, starts } = block;
  const [first, last] = [at(starts, line), at(starts, line + 1) - 1];
  const px = (point: number): number => x + at(points, 2 * point);
  const py = (point: number): number => y + at(points, 2 * point + 1) - (point === last ? short : 0);
  let slope = 0; // change of x for one unit of y
  surface.moveTo(px(first), py(first));
  for (let point = first; point < last; point += 1) {
    const [fromX, fromY, toX, toY] = [px(point), py(point), px(point + 1), py(point + 1)];
    const next = point + 1 === last ? 0 : slopeAt(fromX, fromY, toX, toY, px(point + 2), py(point + 2));
    if (!curved || (fromX === toX && slope === 0 && next === 0)) {
      surface.lineTo(toX, toY);
    } else {
      // With the ends straight down, half the way is for the bend; between two bends a third keeps it smooth.
      const [out, into] = [slope === 0 ? 0.5 : 1 / 3, next === 0 ? 0.5 : 1 / 3];
      const height = toY - fromY;
      surface.bezierCurveTo(
        fromX + slope * height * out,
        fromY + height * out,
        toX - next * height * into,
        toY - height * into,
        toX,
        toY,
      );
    }
    slope = next;
  }
}

/** How a curve goes through the middle one of three points: straight down where they turn back. */
function slopeAt(x0: number, y0: number, x1: number, y1: number, x2: number, y2: number): number {
  const [before, after] = [(x1 - x0) / (y1 - y0), (x2 - x1) / (y2 - y1)];
  const turns = before * after <= 0 || !Number.isFinite(before) || !Number.isFinite(after);
  return turns ? 0 : (2 * before * after) / (before + after);
}

function arrow(surface: Surface, { x, y, block: { points, starts } }: Opened, line: number): void {
  const last = at(starts, line + 1) - 1;
  const [tipX, tipY] = [x + at(points, 2 * last), y + at(points, 2 * last + 1)];
  surface.moveTo(tipX, tipY);
  surface.lineTo(tipX - ARROW / 2, tipY - ARROW);
  surface.lineTo(tipX + ARROW / 2, tipY - ARROW);
  surface.closePath();
}
