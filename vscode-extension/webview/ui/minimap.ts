/** The overview: all of the drawing, and which part of it is to be seen. */

import type { Camera } from "../camera";
import type { Theme } from "../draw/theme";
import { kindOf } from "../model/kinds";
import type { Scene } from "../scene/scene";
import { h } from "./dom";

const WIDEST = 150;
const HIGHEST = 220;
/** Where there is less room than this, it would be in the way. */
const NARROW = 440;
/** More boxes than this are not told apart at this size. */
const MOST = 6000;

/** A click or a drag moves the camera. */
export class Minimap {
  readonly element = h("canvas", { class: "minimap", "aria-hidden": "true" });
  readonly #picture = document.createElement("canvas");
  #scale = 1;
  #wanted = true;

  constructor(private readonly camera: Camera) {
    const move = (event: PointerEvent): void => {
      const [x, y] = [event.offsetX / this.#scale, event.offsetY / this.#scale];
      camera.set({
        x: x - camera.width / camera.scale / 2,
        y: y - camera.height / camera.scale / 2,
        scale: camera.scale,
      });
    };
    this.element.addEventListener("pointerdown", (event) => {
      this.element.setPointerCapture(event.pointerId);
      move(event);
    });
    this.element.addEventListener("pointermove", (event) => {
      if (this.element.hasPointerCapture(event.pointerId)) {
        move(event);
      }
    });
  }

  toggle(): void {
    this.#wanted = !this.#wanted;
  }

  /** Another scene: draw its picture. */
  show(scene: Scene, theme: Theme): void {
    const { width, height } = scene.size;
    this.#scale = Math.min(WIDEST / width, HIGHEST / height);
    const ratio = window.devicePixelRatio;
    const size = [Math.max(24, width * this.#scale), Math.max(24, height * this.#scale)] as const;
    for (const canvas of [this.element, this.#picture]) {
      [canvas.width, canvas.height] = [Math.ceil(size[0] * ratio), Math.ceil(size[1] * ratio)];
    }
    [this.element.style.width, this.element.style.height] = [`${String(size[0])}px`, `${String(size[1])}px`];
    const context = this.#picture.getContext("2d");
    if (context !== null) {
      context.scale(ratio * this.#scale, ratio * this.#scale);
      picture(context, scene, theme, 1 / this.#scale);
    }
  }

  /** The frame around what is to be seen; nothing at all when that is everything. */
  draw(scene: Scene, theme: Theme): void {
    const { x, y, right, bottom } = this.camera;
    const { width, height } = scene.size;
    const narrow = this.camera.width < NARROW;
    const all = x <= 0 && y <= 0 && right >= width && bottom >= height;
    this.element.hidden = !this.#wanted || all || narrow;
    const context = this.element.getContext("2d");
    if (this.element.hidden || context === null) {
      return;
    }
    const ratio = window.devicePixelRatio * this.#scale;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.element.width, this.element.height);
    context.drawImage(this.#picture, 0, 0);
    const [left, top] = [Math.max(0, x) * ratio, Math.max(0, y) * ratio];
    const [wide, high] = [Math.min(width, right) * ratio - left, Math.min(height, bottom) * ratio - top];
    context.strokeStyle = theme.selected;
    context.lineWidth = 1.5 * window.devicePixelRatio;
    context.strokeRect(left + 1, top + 1, Math.max(3, wide - 2), Math.max(3, high - 2));
  }
}

function picture(context: CanvasRenderingContext2D, scene: Scene, theme: Theme, pixel: number): void {
  context.strokeStyle = theme.frame;
  context.lineWidth = pixel;
  for (const { scope, block, x, y } of scene.opened.values()) {
    if (scope !== 0 && block.height > 3 * pixel) {
      context.strokeRect(x, y, block.width, block.height);
    }
  }
  const step = Math.ceil(scene.leaves.length / MOST);
  scene.leaves.forEach((child, number) => {
    const box = number % step === 0 ? scene.box(child) : undefined;
    if (box !== undefined) {
      context.fillStyle = theme.looks[kindOf(scene.model, child)].border;
      context.fillRect(box.x, box.y, box.width, Math.max(pixel, box.height));
    }
  });
}
