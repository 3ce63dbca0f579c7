/** The sizes of all boxes and labels: what the layout is made from. */

import type { LayoutGraph } from "../layout/types";
import { EDGE } from "../layout/types";
import { flip, type Child } from "../model/child";
import type { Model } from "../model/model";
import { captionOf, type Caption } from "./captions";
import type { Fonts, Ruler } from "./fonts";

/** Heights of boxes with one and two lines of text. */
export const LOW = 30;
export const HIGH = 44;
/** Left and right of the text. */
export const MARGIN = 13;
/** Of the sign that opens a box, with the gap to the text. */
export const SIGN = 22;
/** Left and right of the text of a badge. */
export const BADGE = 7;
/** Longer texts are cut off. */
const WIDEST = 240;
const LABEL_WIDEST = 190;
const LABEL_MARGIN = 8;

/** Measure everything once. */
export function layoutGraph(model: Model, ruler: Ruler, fonts: Fonts): LayoutGraph {
  const nodes = new Float32Array(2 * model.nodes.length);
  model.nodes.forEach((_, node) => nodes.set(closedSize(model, node, ruler, fonts), 2 * node));
  const closed = new Float32Array(2 * model.scopes.length);
  const titles = new Float32Array(model.scopes.length);
  model.scopes.forEach((_, scope) => {
    closed.set(closedSize(model, flip(scope), ruler, fonts), 2 * scope);
    titles[scope] = titleWidth(captionOf(model, flip(scope)), ruler, fonts);
  });
  const total = model.scopes.reduce((sum, { edges }) => sum + edges.length, 0);
  const edges = new Int32Array(EDGE.size * total);
  const starts = new Int32Array(model.scopes.length + 1);
  let next = 0;
  model.scopes.forEach((scope, number) => {
    for (const { source, target, value, exit, entry } of scope.edges) {
      edges.set([source, target, Math.max(0, value), exit, entry], EDGE.size * next);
      next += 1;
    }
    starts[number + 1] = next;
  });
  return {
    scopes: model.scopes.map(({ form, children }) => ({ form, children })),
    edges,
    starts,
    nodes,
    closed,
    titles,
    labels: labelWidths(model, ruler, fonts),
  };
}

/** The label of a value as it is written on a line, and its width. */
export function lineLabel(model: Model, value: number, ruler: Ruler, fonts: Fonts): string {
  return ruler.fit(model.value(value)?.label ?? "", fonts.label, LABEL_WIDEST);
}

function labelWidths(model: Model, ruler: Ruler, fonts: Fonts): Float32Array {
  const widths = model.drawing.values.map((_, value) => {
    const width = ruler.width(lineLabel(model, value, ruler, fonts), fonts.label);
    return width === 0 ? 0 : width + LABEL_MARGIN;
  });
  return Float32Array.from(widths.length > 0 ? widths : [0]);
}

function closedSize(model: Model, child: Child, ruler: Ruler, fonts: Fonts): [number, number] {
  const caption = captionOf(model, child);
  const scope = child < 0;
  const title = ruler.width(caption.title, scope ? fonts.strong : fonts.title) + (scope ? SIGN : 0);
  const failed = scope ? model.scope(flip(child)).failed : model.node(child).failed;
  const text = Math.max(
    title + badgeWidth(caption, ruler, fonts),
    ruler.width(caption.detail, fonts.detail) + (scope ? SIGN : 0),
  );
  const width = Math.min(WIDEST, text) + 2 * MARGIN + (failed ? SIGN : 0);
  return [Math.max(width, 46), caption.detail === "" ? LOW : HIGH];
}

function titleWidth(caption: Caption, ruler: Ruler, fonts: Fonts): number {
  const detail = Math.min(WIDEST, ruler.width(caption.detail, fonts.detail));
  const texts = ruler.width(caption.title, fonts.strong) + (detail > 0 ? detail + 10 : 0);
  return texts + SIGN + 2 * MARGIN + badgeWidth(caption, ruler, fonts);
}

/** With the gap before it. */
export function badgeWidth({ badge }: Caption, ruler: Ruler, fonts: Fonts): number {
  return badge === "" ? 0 : ruler.width(badge, fonts.detail) + 2 * BADGE + 8;
}
