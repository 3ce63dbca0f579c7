/** Buttons and lists to choose from, all with names for screen readers. */

import { h, icon } from "./dom";
import { ICONS, type IconName } from "./icons";

/** A button with only an icon; the title is also its name. */
export function iconButton(name: IconName, title: string, act: () => void): HTMLButtonElement {
  return h(
    "button",
    { type: "button", class: "icon-button", title, "aria-label": title, onclick: act },
    icon(ICONS[name]),
  );
}

/** A button with a text. */
export function textButton(
  text: string,
  act: () => void,
  kind: "primary" | "secondary" = "secondary",
): HTMLButtonElement {
  return h("button", { type: "button", class: `text-button ${kind}`, onclick: act }, text);
}

/** An entry of a list to choose from. */
export interface Option {
  readonly id: string;
  readonly title: string;
}

/** A list to choose one from. */
export class Chooser {
  readonly element: HTMLLabelElement;
  readonly #select: HTMLSelectElement;
  #shown = "";

  constructor(name: string, choose: (id: string) => void) {
    this.#select = h("select", { "aria-label": name, title: name });
    this.#select.addEventListener("change", () => choose(this.#select.value));
    this.element = h("label", { class: "chooser" }, this.#select);
  }

  /** Hidden when there is nothing to choose. */
  show(options: readonly Option[], chosen: string, least = 2): void {
    const key = JSON.stringify(options);
    if (key !== this.#shown) {
      this.#shown = key;
      this.#select.replaceChildren(...options.map(({ id, title }) => h("option", { value: id }, title)));
    }
    this.#select.value = chosen;
    this.element.hidden = options.length < least;
  }
}
