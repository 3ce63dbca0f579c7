/** Pictures of the graph to be saved. */

import { paint } from "./draw/painter";
import { SvgSurface } from "./draw/svg";
import { drawFrame, type Stage } from "./stage";

/** Browsers make no bigger canvases. */
const BIGGEST = 8192;
const SHARPNESS = 2;

/** All that is open, or only what is to be seen. */
export function svgOf(stage: Stage, whole: boolean): string {
  const frame = stage.frame(whole);
  if (frame === undefined) {
    return "";
  }
  const surface = new SvgSurface();
  paint(surface, frame);
  const { left, top, right, bottom, theme } = frame;
  return surface.document(left, top, right - left, bottom - top, theme.background);
}

/** As base64. A whole that is too big for a canvas is made smaller. */
export function pngOf(stage: Stage, whole: boolean): string {
  const frame = stage.frame(whole);
  if (frame === undefined) {
    return "";
  }
  const [width, height] = [frame.right - frame.left, frame.bottom - frame.top];
  const scale = Math.min(SHARPNESS * frame.scale, BIGGEST / width, BIGGEST / height);
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [Math.ceil(width * scale), Math.ceil(height * scale)];
  const context = canvas.getContext("2d");
  if (context === null) {
    return "";
  }
  context.fillStyle = frame.theme.background;
  context.fillRect(0, 0, canvas.width, canvas.height);
  drawFrame(context, { ...frame, scale: Math.min(scale, frame.scale) }, scale / Math.min(scale, frame.scale));
  return canvas.toDataURL("image/png").replace(/^[^,]*,/, "");
}
