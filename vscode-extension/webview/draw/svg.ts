/** A surface that writes SVG. */

import type { Surface } from "./surface";

/** Collects what is drawn as elements. */
export class SvgSurface implements Surface {
  fillStyle: string | CanvasGradient | CanvasPattern = "";
  strokeStyle: string | CanvasGradient | CanvasPattern = "";
  lineWidth = 1;
  font = "";
  textAlign: CanvasTextAlign = "left";
  textBaseline: CanvasTextBaseline = "middle";
  readonly #parts: string[] = [];
  #path = "";
  #dash: readonly number[] = [];

  /** The whole document; `background` is behind everything. */
  document(left: number, top: number, width: number, height: number, background: string): string {
    const frame = [left, top, width, height].map(short);
    const [x = "", y = "", wide = "", high = ""] = frame;
    return [
      `<svg xmlns="http://www.w3.org/2000/svg" width="${wide}" height="${high}" viewBox="${frame.join(" ")}">`,
      `<rect x="${x}" y="${y}" width="${wide}" height="${high}" fill="${background}"/>`,
      ...this.#parts,
      "</svg>\n",
    ].join("\n");
  }

  beginPath(): void {
    this.#path = "";
  }

  moveTo(x: number, y: number): void {
    this.#path += `M${short(x)} ${short(y)}`;
  }

  lineTo(x: number, y: number): void {
    this.#path += `L${short(x)} ${short(y)}`;
  }

  bezierCurveTo(x1: number, y1: number, x2: number, y2: number, x: number, y: number): void {
    this.#path += `C${[x1, y1, x2, y2, x, y].map(short).join(" ")}`;
  }

  closePath(): void {
    this.#path += "Z";
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.#path += `M${short(x)} ${short(y)}h${short(width)}v${short(height)}h${short(-width)}Z`;
  }

  roundRect(x: number, y: number, width: number, height: number, radii?: unknown): void {
    const radius = Math.min(typeof radii === "number" ? radii : 0, width / 2, height / 2);
    const [wide, high, r] = [short(width - 2 * radius), short(height - 2 * radius), short(radius)];
    const corner = (dx: string, dy: string): string => `a${r} ${r} 0 0 1 ${dx} ${dy}`;
    this.#path +=
      `M${short(x + radius)} ${short(y)}h${wide}${corner(r, r)}v${high}${corner(`-${r}`, r)}` +
      `h-${wide}${corner(`-${r}`, `-${r}`)}v-${high}${corner(r, `-${r}`)}Z`;
  }

  setLineDash(segments: Iterable<number>): void {
    this.#dash = [...segments];
  }

  fill(): void {
    this.#parts.push(`<path d="${this.#path}" fill="${this.#colour(this.fillStyle)}"/>`);
  }

  stroke(): void {
    const dash = this.#dash.length > 0 ? ` stroke-dasharray="${this.#dash.join(" ")}"` : "";
    const stroke = `stroke="${this.#colour(this.strokeStyle)}" stroke-width="${short(this.lineWidth)}"`;
    this.#parts.push(`<path d="${this.#path}" fill="none" ${stroke}${dash}/>`);
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    const [left = "", top = "", wide = "", high = ""] = [x, y, width, height].map(short);
    const fill = this.#colour(this.fillStyle);
    this.#parts.push(`<rect x="${left}" y="${top}" width="${wide}" height="${high}" fill="${fill}"/>`);
  }

  fillText(text: string, x: number, y: number): void {
    if (text === "") {
      return;
    }
    const anchor = this.textAlign === "center" ? ` text-anchor="middle"` : "";
    const style = escape(this.font);
    this.#parts.push(
      `<text x="${short(x)}" y="${short(y)}" dominant-baseline="central"${anchor} fill="${this.#colour(this.fillStyle)}" ` +
        `style="font: ${style}">${escape(text)}</text>`,
    );
  }

  #colour(style: string | CanvasGradient | CanvasPattern): string {
    return typeof style === "string" ? style : "none";
  }
}

function short(number: number): string {
  return String(Math.round(number * 100) / 100);
}

function escape(text: string): string {
  const names: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replace(/[&<>"]/g, (character) => names[character] ?? character);
}
