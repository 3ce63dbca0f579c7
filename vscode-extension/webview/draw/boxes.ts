/** Draws single boxes. */

import { flip, isScope, type Child } from "../model/child";
import { amount, warmth } from "../model/heat";
import { kindOf } from "../model/kinds";
import { at } from "../model/list";
import { HEADER } from "../layout/metrics";
import { captionOf, type Caption } from "../scene/captions";
import type { Box } from "../scene/scene";
import { BADGE, badgeWidth, MARGIN, SIGN } from "../scene/sizes";
import { READABLE, type Frame } from "./frame";
import type { Surface } from "./surface";

const RADIUS = 7;
/** Boxes lower than this many pixels are only a patch of colour. */
const BORDERED = 4;

/** A node, or a scope that is closed. */
export function drawClosed(surface: Surface, frame: Frame, child: Child, box: Box): void {
  const { theme, scale, scene } = frame;
  const kind = kindOf(scene.model, child);
  const look = theme.looks[kind];
  const warm = heatOf(frame, child);
  if (box.height * scale < BORDERED) {
    surface.fillStyle = warm ?? look.border;
    surface.fillRect(box.x, box.y, box.width, box.height);
    return;
  }
  const small = scale < READABLE.round;
  shape(surface, box, small ? 0 : kind === "input" || kind === "output" ? box.height / 2 : RADIUS);
  surface.fillStyle = warm ?? look.fill;
  surface.fill();
  surface.strokeStyle = look.border;
  surface.lineWidth = Math.max(kind === "failed" ? 2 : 1, 0.5 / scale);
  surface.setLineDash(kind === "reference" ? [4, 3] : []);
  surface.stroke();
  surface.setLineDash([]);
  if (scale < READABLE.title) {
    return;
  }
  if (theme.contrast && warm === undefined) {
    surface.fillStyle = look.accent;
    surface.fillRect(box.x + 1, box.y + 8, 3, box.height - 16);
  }
  writeCaption(surface, frame, child, box, captionOf(scene.model, child));
}

/** An open scope, without what is in it. */
export function drawOpen(surface: Surface, frame: Frame, child: Child, box: Box, depth: number): void {
  const { theme, scale, scene, ruler } = frame;
  shape(surface, box, scale < READABLE.round / 2 ? 0 : RADIUS + 2);
  surface.fillStyle = fillOf(frame, depth);
  surface.fill();
  const { failed } = scene.model.scope(flip(child));
  surface.strokeStyle = failed ? theme.error : theme.frame;
  surface.lineWidth = Math.max(failed ? 1.5 : 1, 0.6 / scale);
  surface.stroke();
  if (scale < READABLE.title) {
    return;
  }
  const caption = captionOf(scene.model, child);
  const middle = box.y + HEADER / 2;
  drawSign(surface, frame, box.x + MARGIN - 3, middle, false);
  surface.textAlign = "left";
  surface.textBaseline = "middle";
  surface.font = theme.fonts.strong;
  surface.fillStyle = failed ? theme.error : theme.text;
  const left = box.x + MARGIN + SIGN - 3;
  surface.fillText(caption.title, left, middle);
  const next = left + ruler.width(caption.title, theme.fonts.strong) + 10;
  const badge = badgeWidth(caption, ruler, theme.fonts);
  const room = box.x + box.width - MARGIN - badge - next;
  if (scale >= READABLE.detail) {
    surface.font = theme.fonts.detail;
    surface.fillStyle = theme.dim;
    surface.fillText(ruler.fit(caption.detail, theme.fonts.detail, room), next, middle + 1);
  }
  drawBadge(surface, frame, caption, box.x + box.width - MARGIN, middle);
}

/** Inside of a scope, this many scopes down. */
export function fillOf({ theme }: Frame, depth: number): string {
  return at(theme.depths, Math.min(depth, theme.depths.length - 1));
}

/** Whether a point is on the sign that opens or closes a scope. */
export function isOnSign(box: Box, open: boolean, x: number, y: number): boolean {
  const middle = box.y + (open ? HEADER : box.height) / 2;
  return x >= box.x + 2 && x <= box.x + MARGIN + SIGN - 5 && Math.abs(y - middle) <= 12;
}

function heatOf({ scene, heat, hottest, theme }: Frame, child: Child): string | undefined {
  if (heat === "none") {
    return undefined;
  }
  const warm = warmth(amount(scene.model, heat, child), hottest);
  return at(theme.heat, Math.round(warm * (theme.heat.length - 1)));
}

function shape(surface: Surface, { x, y, width, height }: Box, radius: number): void {
  surface.beginPath();
  if (radius === 0) {
    surface.rect(x, y, width, height);
  } else {
    surface.roundRect(x, y, width, height, radius);
  }
}

function writeCaption(surface: Surface, frame: Frame, child: Child, box: Box, caption: Caption): void {
  const { theme, ruler, scale, scene } = frame;
  const scope = isScope(child);
  const failed = kindOf(scene.model, child) === "failed";
  const font = scope ? theme.fonts.strong : theme.fonts.title;
  const badge = badgeWidth(caption, ruler, theme.fonts);
  const left = box.x + MARGIN + (scope ? SIGN : 0);
  const right = box.x + box.width - MARGIN - (failed ? SIGN : 0);
  const middle = box.y + box.height / 2;
  const two = caption.detail !== "";
  if (scope) {
    drawSign(surface, frame, box.x + MARGIN - 3, middle, true);
  }
  surface.textBaseline = "middle";
  surface.textAlign = scope ? "left" : "center";
  const x = scope ? left : (left + right) / 2;
  surface.font = font;
  surface.fillStyle = failed ? theme.error : theme.text;
  surface.fillText(ruler.fit(caption.title, font, right - left - badge), x, two ? middle - 7.5 : middle + 0.5);
  if (two && scale >= READABLE.detail) {
    surface.font = theme.fonts.detail;
    surface.fillStyle = theme.dim;
    surface.fillText(ruler.fit(caption.detail, theme.fonts.detail, right - left), x, middle + 8.5);
  }
  drawBadge(surface, frame, caption, right, two ? middle - 7.5 : middle);
  if (failed) {
    drawWarning(surface, frame, right + SIGN / 2 + 2, middle);
  }
}

/** A plus, or a minus, in a small square. */
function drawSign(surface: Surface, { theme }: Frame, left: number, middle: number, plus: boolean): void {
  const size = 12;
  surface.beginPath();
  surface.roundRect(left, middle - size / 2, size, size, 3);
  surface.strokeStyle = theme.dim;
  surface.lineWidth = 1;
  surface.stroke();
  surface.beginPath();
  surface.moveTo(left + 3, middle);
  surface.lineTo(left + size - 3, middle);
  if (plus) {
    surface.moveTo(left + size / 2, middle - 3);
    surface.lineTo(left + size / 2, middle + 3);
  }
  surface.strokeStyle = theme.text;
  surface.stroke();
}

function drawBadge(surface: Surface, { theme, ruler }: Frame, { badge }: Caption, right: number, middle: number): void {
  if (badge === "") {
    return;
  }
  const width = ruler.width(badge, theme.fonts.detail) + 2 * BADGE;
  surface.beginPath();
  surface.roundRect(right - width, middle - 8, width, 16, 8);
  surface.fillStyle = theme.badge;
  surface.fill();
  surface.font = theme.fonts.detail;
  surface.textAlign = "center";
  surface.fillStyle = theme.badgeText;
  surface.fillText(badge, right - width / 2, middle + 0.5);
}

/** A triangle with an exclamation mark. */
function drawWarning(surface: Surface, { theme }: Frame, x: number, y: number): void {
  surface.beginPath();
  surface.moveTo(x, y - 7);
  surface.lineTo(x + 7.5, y + 6);
  surface.lineTo(x - 7.5, y + 6);
  surface.closePath();
  surface.fillStyle = theme.error;
  surface.fill();
  surface.fillStyle = theme.background;
  surface.fillRect(x - 0.8, y - 3, 1.6, 5);
  surface.fillRect(x - 0.8, y + 3.2, 1.6, 1.6);
}
