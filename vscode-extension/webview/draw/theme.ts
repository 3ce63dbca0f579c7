/** The colours of the drawing, from those of the editor. */

import type { Kind } from "../model/kinds";
import { fontsOf, type Fonts } from "../scene/fonts";
import { brightness, css, mix, parse, type Colour } from "./colour";

/** How one kind of box looks. */
export interface Look {
  readonly fill: string;
  readonly border: string;
  readonly accent: string;
}

/** Everything a painter needs; CSS colours. */
export interface Theme {
  readonly fonts: Fonts;
  readonly background: string;
  readonly text: string;
  readonly dim: string;
  readonly line: string;
  readonly labelText: string;
  /** Inside of open boxes, by how deep they are; deeper ones are like the last. */
  readonly depths: readonly string[];
  readonly frame: string;
  readonly looks: Readonly<Record<Kind, Look>>;
  readonly selected: string;
  readonly hover: string;
  /** Behind what the cursor of the editor is in. */
  readonly cursor: string;
  readonly hit: string;
  readonly error: string;
  readonly badge: string;
  readonly badgeText: string;
  readonly incoming: string;
  readonly outgoing: string;
  /** From cold to hot. */
  readonly heat: readonly string[];
  /** Boxes are told apart by their borders alone. */
  readonly contrast: boolean;
}

const DEPTHS = 6;
const STEPS = 32;

/** What the editor's style sheet says at the moment. */
export function readTheme(element: Element): Theme {
  const style = getComputedStyle(element);
  const read = (name: string): Colour | undefined => parse(style.getPropertyValue(`--vscode-${name}`));
  const first = (fallback: Colour, ...names: string[]): Colour => names.map(read).find(Boolean) ?? fallback;
  const background = first([255, 255, 255, 1], "editor-background");
  const dark = brightness(background) < 0.5;
  const text = first(dark ? [204, 204, 204, 1] : [59, 59, 59, 1], "editor-foreground", "foreground");
  const contrastBorder = read("contrastBorder");
  const contrast = contrastBorder !== undefined;
  const on = (over: Colour, amount: number): Colour => mix(background, over, amount);
  const dim = mix(background, first(text, "descriptionForeground", "foreground"), contrast ? 1 : 0.85);
  // The editor may give its chart colours for laying them over something else.
  const chart = (fallback: Colour, name: string): Colour => {
    const [red, green, blue] = first(fallback, `charts-${name}`);
    return [red, green, blue, 1];
  };
  const blue = chart([55, 148, 255, 1], "blue");
  const green = chart([137, 209, 133, 1], "green");
  const orange = chart([209, 134, 22, 1], "orange");
  const purple = chart([177, 128, 215, 1], "purple");
  const yellow = chart([204, 167, 0, 1], "yellow");
  const error = first([241, 76, 76, 1], "editorError-foreground", "errorForeground", "charts-red");
  const selected = first(blue, "focusBorder");
  const look = (colour: Colour, fill: number, border: number): Look => ({
    fill: css(contrast ? background : on(colour, fill)),
    border: css(contrastBorder ?? on(colour, border)),
    accent: css(colour),
  });
  const tinted = (colour: Colour): Look => look(colour, dark ? 0.2 : 0.13, dark ? 0.6 : 0.55);
  const plain = look(text, dark ? 0.09 : 0.045, 0.32);
  return {
    fonts: fontsOf(
      style.getPropertyValue("--vscode-font-family") || "system-ui, sans-serif",
      style.getPropertyValue("--vscode-editor-font-family") || "monospace",
    ),
    background: css(background),
    text: css(text),
    dim: css(dim),
    line: css(on(text, contrast ? 0.9 : dark ? 0.42 : 0.4)),
    labelText: css(on(text, contrast ? 1 : 0.72)),
    depths: Array.from({ length: DEPTHS }, (_, depth) =>
      css(contrast ? background : on(text, (dark ? 0.028 : 0.022) * depth)),
    ),
    frame: css(contrastBorder ?? on(text, 0.3)),
    looks: {
      module: look(text, dark ? 0.15 : 0.085, 0.45),
      input: tinted(yellow),
      output: tinted(yellow),
      constant: plain,
      reference: look(text, 0, 0.4),
      failed: { ...look(error, dark ? 0.22 : 0.12, 1), border: css(error) },
      weight: tinted(blue),
      norm: tinted(green),
      activation: tinted(orange),
      pool: tinted(purple),
      shape: plain,
      operation: look(text, dark ? 0.13 : 0.07, 0.4),
    },
    selected: css(first(selected, "contrastActiveBorder", "focusBorder")),
    hover: css(on(text, 0.75)),
    cursor: css(on(first([255, 215, 0, 1], "editor-findMatchHighlightBackground", "editor-selectionBackground"), 1)),
    hit: css(first(orange, "editor-findMatchBorder", "editorOverviewRuler-findMatchForeground")),
    error: css(error),
    badge: css(first(blue, "badge-background")),
    badgeText: css(first([255, 255, 255, 1], "badge-foreground")),
    incoming: css(blue),
    outgoing: css(orange),
    heat: ramp(background, orange, error),
    contrast,
  };
}

function ramp(cold: Colour, warm: Colour, hot: Colour): string[] {
  return Array.from({ length: STEPS }, (_, step) => {
    const amount = step / (STEPS - 1);
    return css(amount < 0.6 ? mix(cold, warm, 1.1 * amount) : mix(mix(cold, warm, 0.66), hot, (amount - 0.6) * 1.9));
  });
}
