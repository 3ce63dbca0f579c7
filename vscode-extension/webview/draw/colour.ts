/** Colours as numbers, to mix them. */

/** Red, green, blue from 0 to 255 and how opaque from 0 to 1. */
export type Colour = readonly [number, number, number, number];

const context = (): CanvasRenderingContext2D | null => document.createElement("canvas").getContext("2d");

/** Any colour that CSS knows; undefined for what is none. */
export function parse(text: string): Colour | undefined {
  const canvas = context();
  if (canvas === null || text.trim() === "" || !CSS.supports("color", text.trim())) {
    return undefined;
  }
  canvas.fillStyle = text.trim(); // which normalises it to one of two notations
  const normal = canvas.fillStyle;
  if (normal.startsWith("#")) {
    const number = Number.parseInt(normal.slice(1), 16);
    return [number >> 16, (number >> 8) & 255, number & 255, 1];
  }
  const [red = 0, green = 0, blue = 0, alpha = 1] = (normal.match(/[\d.]+/g) ?? []).map(Number);
  return [red, green, blue, alpha];
}

/** So much of `over` on `under`; opaque when `under` is. */
export function mix(under: Colour, over: Colour, amount: number): Colour {
  const part = amount * over[3];
  const channel = (index: 0 | 1 | 2): number => under[index] + (over[index] - under[index]) * part;
  return [channel(0), channel(1), channel(2), under[3] + (1 - under[3]) * part];
}

/** As CSS writes it. */
export function css([red, green, blue, alpha]: Colour): string {
  const [r, g, b] = [red, green, blue].map((one) => String(Math.round(one)));
  return alpha === 1
    ? `rgb(${String(r)}, ${String(g)}, ${String(b)})`
    : `rgba(${String(r)}, ${String(g)}, ${String(b)}, ${alpha.toFixed(3)})`;
}

/** How bright it looks, from 0 to 1. */
export function brightness([red, green, blue]: Colour): number {
  return (0.299 * red + 0.587 * green + 0.114 * blue) / 255;
}
