/** Which part of the drawing is to be seen, and how big. */

import type { Box } from "./scene/scene";

/** Smallest and biggest scale: pixels for a unit. */
const SMALLEST = 0.002;
const BIGGEST = 4;
/** A picture that is fitted gets no bigger than this. */
const NATURAL = 1.15;
const MOVE_MS = 220;

/** Upper left corner in the drawing's units, and pixels for each of them. */
export interface Look {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

/** The window has a size in pixels, and moves over the drawing. */
export class Camera implements Look {
  x = 0;
  y = 0;
  scale = 1;
  width = 1;
  height = 1;
  #move = 0;
  #moving = false;

  /** `changed` is called after every change. */
  constructor(private readonly changed: () => void) {}

  /** Whether it is on its way somewhere. */
  get moving(): boolean {
    return this.#moving;
  }

  get right(): number {
    return this.x + this.width / this.scale;
  }

  get bottom(): number {
    return this.y + this.height / this.scale;
  }

  resize(width: number, height: number): void {
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    this.changed();
  }

  /** A point of the window, in the drawing. */
  point(x: number, y: number): { x: number; y: number } {
    return { x: this.x + x / this.scale, y: this.y + y / this.scale };
  }

  set(look: Look): void {
    cancelAnimationFrame(this.#move);
    this.#moving = false;
    this.x = look.x;
    this.y = look.y;
    this.scale = clamp(look.scale);
    this.changed();
  }

  /** By pixels. */
  pan(dx: number, dy: number): void {
    this.set({ x: this.x + dx / this.scale, y: this.y + dy / this.scale, scale: this.scale });
  }

  /** What is at this point of the window stays there. */
  zoom(factor: number, x = this.width / 2, y = this.height / 2): void {
    const still = this.point(x, y);
    const scale = clamp(this.scale * factor);
    this.set({ x: still.x - x / scale, y: still.y - y / scale, scale });
  }

  /** The whole box in the middle. */
  fitting(box: Box, margin = 24, biggest = NATURAL): Look {
    const scale = clamp(
      Math.min((this.width - 2 * margin) / box.width, (this.height - 2 * margin) / box.height, biggest),
    );
    return this.#middle(box, scale);
  }

  /** The top of the drawing, readable, even if not all of it can be seen. */
  beginning(box: Box, readable: number): Look {
    const whole = this.fitting(box);
    if (whole.scale >= readable) {
      return whole;
    }
    const scale = Math.max(readable, Math.min(1, (this.width - 48) / box.width));
    return { x: box.x + box.width / 2 - this.width / 2 / scale, y: box.y - 24 / scale, scale };
  }

  /** The box in the middle, readable; as it is when it can be seen well. */
  showing(box: Box, readable: number): Look {
    const scale = Math.min(Math.max(this.scale, readable), BIGGEST);
    const [width, height] = [this.width / scale, this.height / scale];
    const inside =
      scale === this.scale &&
      box.x >= this.x &&
      box.y >= this.y &&
      box.x + Math.min(box.width, width / 2) <= this.right &&
      box.y + Math.min(box.height, height / 2) <= this.bottom;
    if (inside) {
      return { x: this.x, y: this.y, scale };
    }
    if (box.height > height || box.width > width) {
      return { x: box.x + box.width / 2 - width / 2, y: box.y - 40 / scale, scale };
    }
    return this.#middle(box, scale);
  }

  /** Go there, smoothly unless that is not wanted. */
  go(to: Look): void {
    const from = { x: this.x, y: this.y, scale: this.scale };
    if (window.matchMedia("(prefers-reduced-motion: reduce)").matches || same(from, to)) {
      this.set(to);
      return;
    }
    const start = performance.now();
    const step = (now: number): void => {
      const part = Math.min(1, Math.max(0, now - start) / MOVE_MS);
      const eased = 1 - (1 - part) ** 3;
      const between = (one: number, other: number): number => one + (other - one) * eased;
      this.set({ x: between(from.x, to.x), y: between(from.y, to.y), scale: between(from.scale, to.scale) });
      if (part < 1) {
        this.#moving = true;
        this.#move = requestAnimationFrame(step);
      }
    };
    step(start);
  }

  #middle(box: Box, scale: number): Look {
    return {
      x: box.x + box.width / 2 - this.width / 2 / scale,
      y: box.y + box.height / 2 - this.height / 2 / scale,
      scale,
    };
  }
}

function clamp(scale: number): number {
  return Math.min(BIGGEST, Math.max(SMALLEST, Number.isFinite(scale) ? scale : 1));
}

function same(one: Look, other: Look): boolean {
  return one.x === other.x && one.y === other.y && one.scale === other.scale;
}
