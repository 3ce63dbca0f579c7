/** What the painters draw on: a canvas, or a recorder that makes SVG. */

export type Surface = Pick<
  CanvasRenderingContext2D,
  | "beginPath"
  | "bezierCurveTo"
  | "closePath"
  | "fill"
  | "fillRect"
  | "fillStyle"
  | "fillText"
  | "font"
  | "lineTo"
  | "lineWidth"
  | "moveTo"
  | "rect"
  | "roundRect"
  | "setLineDash"
  | "stroke"
  | "strokeStyle"
  | "textAlign"
  | "textBaseline"
>;
