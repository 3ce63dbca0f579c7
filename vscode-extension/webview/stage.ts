/** The canvas: draws the scene whenever something of it changed. */

import { Camera } from "./camera";
import { NO_MARKS, type Frame, type Marks } from "./draw/frame";
import { paint } from "./draw/painter";
import { readTheme, type Theme } from "./draw/theme";
import { most, type HeatId } from "./model/heat";
import { CanvasRuler, type Ruler } from "./scene/fonts";
import type { Scene } from "./scene/scene";
import { h } from "./ui/dom";
import { Legend } from "./ui/legend";
import { Minimap } from "./ui/minimap";

const FAR_TITLE = "10px";

/** Draws at most once for each frame of the screen. */
export class Stage {
  readonly canvas = h("canvas", {
    class: "graph",
    tabindex: 0,
    role: "application",
    "aria-label": "FX graph. Arrow keys go from box to box, question mark shows all keys.",
  });
  readonly element: HTMLElement;
  readonly camera = new Camera(() => this.invalidate());
  readonly ruler: Ruler = new CanvasRuler();
  readonly minimap: Minimap;
  readonly #legend = new Legend();
  #theme: Theme;
  #scene: Scene | undefined;
  #marks: Marks = NO_MARKS;
  #heat: HeatId = "none";
  #hottest = 0;
  #waiting = 0;

  /** `resized`: the window has another size, which is no wish of the user's to see something else. */
  constructor(private readonly resized: () => void) {
    this.#theme = readTheme(document.body);
    this.minimap = new Minimap(this.camera);
    this.element = h("div", { class: "stage" }, this.canvas, this.minimap.element, this.#legend.element);
    new ResizeObserver(() => this.#resize()).observe(this.canvas);
    const events = ["focus", "blur"] as const;
    events.forEach((name) => this.canvas.addEventListener(name, () => this.mark({ focused: name === "focus" })));
  }

  get theme(): Theme {
    return this.#theme;
  }

  get scene(): Scene | undefined {
    return this.#scene;
  }

  get marks(): Marks {
    return this.#marks;
  }

  /** The editor has another theme: colours are read anew. */
  restyle(): void {
    this.#theme = readTheme(document.body);
    this.#refresh();
  }

  show(scene: Scene | undefined): void {
    this.#scene = scene;
    this.#refresh();
  }

  warm(heat: HeatId): void {
    this.#heat = heat;
    this.#refresh();
  }

  mark(marks: Partial<Marks>): void {
    this.#marks = { ...this.#marks, ...marks };
    this.invalidate();
  }

  /** Draw with the next frame. */
  invalidate(): void {
    this.#waiting ||= requestAnimationFrame(() => {
      this.#waiting = 0;
      this.#draw();
    });
  }

  /** What to draw of the whole, or of the part that is to be seen. */
  frame(whole: boolean): Frame | undefined {
    if (this.#scene === undefined) {
      return undefined;
    }
    const { x, y, right, bottom, scale } = this.camera;
    const { width, height } = this.#scene.size;
    const part = whole
      ? { left: -20, top: -20, right: width + 20, bottom: height + 20, scale: 1 }
      : { left: x, top: y, right, bottom, scale };
    return {
      scene: this.#scene,
      theme: this.#theme,
      ruler: this.ruler,
      heat: this.#heat,
      hottest: this.#hottest,
      marks: whole ? NO_MARKS : this.#marks,
      ...part,
    };
  }

  #refresh(): void {
    this.#hottest = this.#scene === undefined ? 0 : most(this.#scene.model, this.#heat, this.#scene.leaves);
    this.#legend.show(this.#scene === undefined ? "none" : this.#heat, this.#hottest, this.#theme);
    if (this.#scene !== undefined && this.#scene.size.width > 0) {
      this.minimap.show(this.#scene, this.#theme);
    }
    this.invalidate();
  }

  /** Whatever opened or closed beside the canvas: from now on the camera knows how much room is left. */
  measure(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width !== this.camera.width || height !== this.camera.height) {
      this.camera.resize(width, height);
    }
  }

  #resize(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const ratio = window.devicePixelRatio;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.camera.resize(width, height);
    this.resized();
    this.#draw(); // at once: a canvas is empty after a change of its size
  }

  #draw(): void {
    const context = this.canvas.getContext("2d", { alpha: false });
    if (context === null) {
      return;
    }
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = this.#theme.background;
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    const frame = this.frame(false);
    if (frame !== undefined && this.#scene !== undefined) {
      drawFrame(context, frame, window.devicePixelRatio);
      this.minimap.draw(this.#scene, this.#theme);
    }
  }
}

/** On a canvas with so many dots for each pixel. */
export function drawFrame(context: CanvasRenderingContext2D, frame: Frame, ratio: number): void {
  const zoom = ratio * frame.scale;
  context.setTransform(zoom, 0, 0, zoom, -frame.left * zoom, -frame.top * zoom);
  const titles = paint(context, frame);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.font = FAR_TITLE + frame.theme.fonts.title.slice(frame.theme.fonts.title.indexOf(" "));
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillStyle = frame.theme.text;
  for (const { text, x, y, room } of titles) {
    const shown = frame.ruler.fit(text, context.font, room);
    context.fillText(shown, (x - frame.left) * frame.scale, (y - frame.top) * frame.scale);
  }
}
