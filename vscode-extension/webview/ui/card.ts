/** The side panel with everything known about the selected box. */

import type { Place } from "../../src/protocol";
import type { About, Fact, Section } from "../model/about";
import type { Child } from "../model/child";
import { iconButton, textButton } from "./buttons";
import { fill, h, icon } from "./dom";
import { ICONS } from "./icons";

/** A part of the path to the box. */
export interface Crumb {
  readonly title: string;
  readonly child: Child;
}

/** What a card can do. */
export interface CardActions {
  readonly select: (child: Child) => void;
  readonly reveal: (place: Place) => void;
  readonly close: () => void;
  readonly resized: () => void;
}

/** A button of the card, besides those of its facts. */
export type CardButton = readonly [title: string, act: () => void];

/** As in the style sheet. */
const WIDTH = 290;
const NARROWEST = 200;
const STEP = 24;

/** Beside the graph, or below it where there is little room. */
export class Card {
  readonly element: HTMLElement;
  readonly #body = h("div", { class: "card-body" });

  constructor(private readonly actions: CardActions) {
    const grip = h("div", {
      class: "grip",
      role: "separator",
      tabindex: 0,
      "aria-label": "Width of the details",
      "aria-orientation": "vertical",
      "aria-valuenow": WIDTH,
    });
    this.element = h("aside", { class: "card", "aria-label": "Details", hidden: true }, grip, this.#body);
    grip.addEventListener("pointerdown", (event) => {
      grip.setPointerCapture(event.pointerId);
    });
    grip.addEventListener("pointermove", (event) => {
      if (grip.hasPointerCapture(event.pointerId)) {
        this.#resize(this.element.getBoundingClientRect().right - event.clientX);
      }
    });
    grip.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: STEP, ArrowRight: -STEP }[event.key];
      if (step !== undefined) {
        this.#resize(this.element.offsetWidth + step);
        event.stopPropagation();
      }
    });
  }

  get isOpen(): boolean {
    return !this.element.hidden;
  }

  show(what: About, crumbs: readonly Crumb[], buttons: readonly CardButton[]): void {
    fill(
      this.#body,
      h(
        "div",
        { class: "card-head" },
        what.failed ? icon(ICONS.warning) : undefined,
        h("h2", { class: what.failed ? "failed" : "" }, what.title),
        h("span", { class: "what" }, what.what),
        iconButton("close", "Close the details (I)", this.actions.close),
      ),
      h("nav", { class: "crumbs", "aria-label": "Path" }, ...crumbs.map((crumb) => this.#crumb(crumb))),
      buttons.length > 0
        ? h("div", { class: "buttons" }, ...buttons.map(([title, act]) => textButton(title, act)))
        : undefined,
      ...what.sections.map((section) => this.#section(section)),
    );
    this.element.hidden = false;
  }

  hide(): void {
    this.element.hidden = true;
  }

  #resize(width: number): void {
    const most = document.body.clientWidth * 0.7;
    const now = String(Math.round(Math.max(NARROWEST, Math.min(most, width))));
    this.element.style.width = `${now}px`;
    this.element.querySelector(".grip")?.setAttribute("aria-valuenow", now);
    this.actions.resized();
  }

  #crumb({ title, child }: Crumb): HTMLElement {
    return h("button", { type: "button", class: "link", onclick: () => this.actions.select(child) }, title);
  }

  #section({ title, facts }: Section): HTMLElement {
    return h(
      "section",
      {},
      title === "" ? undefined : h("h3", {}, title),
      h("dl", {}, ...facts.flatMap((fact) => [h("dt", { title: fact.name }, fact.name), this.#value(fact)])),
    );
  }

  #value({ text, code, to, place }: Fact): HTMLElement {
    const kind = code === true ? "code" : "";
    if (place !== undefined) {
      const open = (): void => this.actions.reveal(place);
      return h("dd", { class: kind }, h("button", { type: "button", class: "link", onclick: open }, text));
    }
    if (to !== undefined) {
      const go = (): void => this.actions.select(to);
      return h(
        "dd",
        { class: kind },
        h("button", { type: "button", class: "link", title: "Show it", onclick: go }, text),
      );
    }
    return h("dd", { class: kind }, text);
  }
}
