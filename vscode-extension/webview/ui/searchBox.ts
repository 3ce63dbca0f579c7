/** The field to search in, with what was found. */

import { iconButton } from "./buttons";
import { h } from "./dom";

/** What is to be done with what is typed. */
export interface SearchActions {
  /** The query changed: how many hits are there? */
  readonly look: (query: string) => number;
  /** Go to a hit. */
  readonly go: (hit: number) => void;
  readonly close: () => void;
}

/** Hidden until it is asked for. */
export class SearchBox {
  readonly element: HTMLElement;
  readonly #input: HTMLInputElement;
  readonly #count = h("span", { class: "count", "aria-live": "polite" });
  #hits = 0;
  #at = -1;

  constructor(private readonly actions: SearchActions) {
    this.#input = h("input", {
      type: "text",
      placeholder: "Search name, operation, path, shape",
      "aria-label": "Search the graph",
      spellcheck: "false",
    });
    this.#input.addEventListener("input", () => this.#look());
    this.element = h(
      "div",
      { class: "search", role: "search", hidden: true },
      this.#input,
      this.#count,
      iconButton("up", "Previous (Shift+Enter)", () => this.#step(-1)),
      iconButton("down", "Next (Enter)", () => this.#step(1)),
      iconButton("close", "Close (Escape)", () => this.close()),
    );
    this.element.addEventListener("keydown", (event) => this.#key(event));
  }

  get isOpen(): boolean {
    return !this.element.hidden;
  }

  open(): void {
    this.element.hidden = false;
    this.#input.focus();
    this.#input.select();
    this.#look();
  }

  close(): void {
    this.element.hidden = true;
    this.actions.close();
  }

  /** Another drawing came: the hits are others. */
  renew(): void {
    if (this.isOpen) {
      this.#look();
    }
  }

  #look(): void {
    this.#hits = this.actions.look(this.#input.value);
    this.#at = -1;
    this.#tell();
  }

  #step(step: number): void {
    if (this.#hits > 0) {
      this.#at = this.#at === -1 && step < 0 ? this.#hits - 1 : (this.#at + step + this.#hits) % this.#hits;
      this.actions.go(this.#at);
      this.#tell();
    }
  }

  #tell(): void {
    const none = this.#input.value.trim() === "";
    const all = this.#hits.toLocaleString("en");
    this.#count.textContent = none
      ? ""
      : this.#hits === 0
        ? "Nothing found"
        : this.#at === -1
          ? `${all} found`
          : `${(this.#at + 1).toLocaleString("en")} of ${all}`;
    this.#count.classList.toggle("nothing", !none && this.#hits === 0);
  }

  #key(event: KeyboardEvent): void {
    if (event.key === "Enter" && event.target === this.#input) {
      this.#step(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape") {
      this.close();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}
