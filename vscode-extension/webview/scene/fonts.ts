/** The fonts of the drawing. */

/** As canvas takes them; sizes are in the drawing's own units. */
export interface Fonts {
  readonly title: string;
  readonly strong: string;
  readonly detail: string;
  readonly label: string;
}

/** From the families of the editor. */
export function fontsOf(family: string, mono: string): Fonts {
  return {
    title: `12.5px ${family}`,
    strong: `600 12.5px ${family}`,
    detail: `10.5px ${family}`,
    label: `10px ${mono}`,
  };
}

/** Measures text. */
export interface Ruler {
  width(text: string, font: string): number;
  /** As much of the text as fits, with … where some is left out. */
  fit(text: string, font: string, room: number): string;
}

/** Asks the browser, once for each text. */
export class CanvasRuler implements Ruler {
  /** By font, then by text. */
  readonly #widths = new Map<string, Map<string, number>>();
  readonly #context: CanvasRenderingContext2D | null;

  constructor() {
    this.#context = document.createElement("canvas").getContext("2d");
  }

  width(text: string, font: string): number {
    let widths = this.#widths.get(font);
    if (widths === undefined) {
      widths = new Map();
      this.#widths.set(font, widths);
    }
    let width = widths.get(text);
    if (width === undefined) {
      if (this.#context !== null) {
        this.#context.font = font;
      }
      width = Math.ceil(this.#context?.measureText(text).width ?? 7 * text.length);
      widths.set(text, width);
    }
    return width;
  }

  fit(text: string, font: string, room: number): string {
    if (this.width(text, font) <= room) {
      return text;
    }
    let [fits, fails] = [0, text.length];
    while (fits < fails - 1) {
      const middle = (fits + fails) >> 1;
      if (this.width(`${text.slice(0, middle)}…`, font) <= room) {
        fits = middle;
      } else {
        fails = middle;
      }
    }
    return fits === 0 ? "" : `${text.slice(0, fits)}…`;
  }
}
