/** The menu of what can be saved. */

import type { ServerFormat } from "../../src/panel/messages";
import { iconButton } from "./buttons";
import { h } from "./dom";

/** A picture of the page's, or a text of the server's. */
export type Export = { readonly format: "svg" | "png"; readonly whole: boolean } | { readonly format: ServerFormat };

const ENTRIES: readonly (readonly [string, Export])[] = [
  ["SVG, as shown", { format: "svg", whole: true }],
  ["SVG, this view", { format: "svg", whole: false }],
  ["PNG, as shown", { format: "png", whole: true }],
  ["PNG, this view", { format: "png", whole: false }],
  ["Graphviz DOT, all nodes", { format: "dot" }],
  ["JSON, all nodes", { format: "json" }],
  ["Python, all nodes", { format: "py" }],
];

/** Opens below its button; closes by Escape, a choice, or when the focus goes elsewhere. */
export class ExportMenu {
  readonly element: HTMLElement;
  readonly #button: HTMLButtonElement;
  readonly #list: HTMLElement;

  constructor(save: (what: Export) => void) {
    this.#button = iconButton("save", "Export", () => this.#show(this.#list.hasAttribute("hidden")));
    this.#button.setAttribute("aria-haspopup", "menu");
    this.#list = h(
      "div",
      { class: "menu", role: "menu", "aria-label": "Export", hidden: true },
      ...ENTRIES.map(([title, what]) =>
        h(
          "button",
          {
            type: "button",
            role: "menuitem",
            onclick: () => {
              this.#show(false);
              save(what);
            },
          },
          title,
        ),
      ),
    );
    this.element = h("div", { class: "menu-anchor" }, this.#button, this.#list);
    this.element.addEventListener("keydown", (event) => this.#key(event));
    this.element.addEventListener("focusout", ({ relatedTarget }) => {
      if (!(relatedTarget instanceof Node) || !this.element.contains(relatedTarget)) {
        this.#list.hidden = true;
      }
    });
  }

  #show(open: boolean): void {
    this.#list.hidden = !open;
    this.#button.setAttribute("aria-expanded", String(open));
    const target = open ? this.#list.querySelector("button") : this.#button;
    target?.focus();
  }

  #key(event: KeyboardEvent): void {
    const entries = [...this.#list.querySelectorAll("button")];
    const here = entries.findIndex((entry) => entry === document.activeElement);
    if (event.key === "Escape" && !this.#list.hidden) {
      this.#show(false);
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const step = event.key === "ArrowDown" ? 1 : entries.length - 1;
      entries[(Math.max(0, here) + step) % entries.length]?.focus();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}
