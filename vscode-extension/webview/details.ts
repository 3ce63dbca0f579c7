/** Tells of the selected box: to the eye in the card, to screen readers in a sentence. */

import type { Place } from "../src/protocol";
import type { Explorer } from "./explorer";
import { about, spoken } from "./model/about";
import { flip, isScope, WHOLE, type Child } from "./model/child";
import { shortPath } from "./scene/captions";
import type { Stage } from "./stage";
import { Card, type CardButton } from "./ui/card";
import { h } from "./ui/dom";

/** The card opens with the first selection, unless the user closed it. */
export class Details {
  readonly spoken = h("div", { class: "spoken", "aria-live": "polite" });
  readonly #card: Card;
  #unwanted = false;

  constructor(
    private readonly stage: Stage,
    private readonly explorer: Explorer,
    reveal: (place: Place) => void,
  ) {
    this.#card = new Card({
      select: (child) => explorer.goTo(child),
      reveal,
      close: () => this.toggle(),
      resized: () => stage.invalidate(),
    });
  }

  get element(): HTMLElement {
    return this.#card.element;
  }

  say(text: string): void {
    this.spoken.textContent = text;
  }

  show(child: Child | undefined): void {
    const { model, view } = this.explorer;
    if (model === undefined || view === undefined || child === undefined) {
      this.#card.hide();
      this.say("");
      return;
    }
    this.say(spoken(model, child, view.isOpen(child)));
    if (this.#unwanted) {
      return;
    }
    const crumbs = model.around(child).map((scope) => {
      const { form, title, times } = model.scope(scope);
      const name = form === "repeat" ? `${title} × ${String(times)}` : shortPath(model, scope) || title;
      return { title: name, child: flip(scope) };
    });
    this.#card.show(about(model, child), crumbs, this.#buttons(child));
  }

  /** Hide the card until it is wanted again. */
  toggle(): void {
    this.#unwanted = this.#card.isOpen;
    if (this.#unwanted) {
      this.#card.hide();
      this.stage.canvas.focus();
    } else {
      this.show(this.explorer.selected);
    }
  }

  #buttons(child: Child): CardButton[] {
    const { explorer } = this;
    const { model, view } = explorer;
    const buttons: CardButton[] = [];
    if (model === undefined || view === undefined) {
      return buttons;
    }
    if (isScope(child) && child !== WHOLE) {
      const open = view.isOpen(child);
      buttons.push([open ? "Close" : "Open", () => explorer.toggle(child)]);
      const { form, times } = model.scope(flip(child));
      if (form === "repeat") {
        const unrolled = open && view.content(flip(child)) === flip(child);
        const title = unrolled ? "Show one for all" : `Show all ${String(times)}`;
        buttons.push([title, () => explorer.toggleUnrolled(child)]);
      }
    }
    const origin = isScope(child) ? -1 : model.node(child).origin;
    if (origin >= 0) {
      buttons.push(["Go to origin", () => explorer.goTo(origin)]);
    }
    return buttons;
  }
}
