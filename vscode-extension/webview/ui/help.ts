/** The list of keys. */

import { iconButton } from "./buttons";
import { h } from "./dom";

const KEYS: readonly (readonly [string, string])[] = [
  ["↓ ↑", "Along the data, to the next or previous box"],
  ["← →", "To the box beside"],
  ["Shift+↓ Shift+↑", "Into an open module, and out of it"],
  ["Enter", "Open or close a module"],
  ["U", "Show every member of a repeat, or one for all"],
  ["Space", "Show the source; the graph keeps the focus"],
  ["Ctrl+Enter", "Go to the source"],
  ["Ctrl+F", "Search; Enter and Shift+Enter go through what was found"],
  ["E  C", "Expand or collapse all"],
  ["F or 0", "Zoom to fit"],
  ["+  −", "Zoom; or Ctrl and the wheel"],
  ["I", "Show or hide the details"],
  ["M", "Show or hide the overview"],
  ["Escape", "Close what is open, then select nothing"],
];

/** A window over the graph. */
export class Help {
  readonly element: HTMLDialogElement;

  constructor() {
    this.element = h(
      "dialog",
      { class: "help", "aria-label": "Keyboard shortcuts" },
      h("h2", {}, "Keyboard and mouse"),
      h(
        "dl",
        {},
        ...KEYS.flatMap(([keys, what]) => [h("dt", {}, h("kbd", {}, keys)), h("dd", {}, what)]),
        h("dt", {}, "Click, double click"),
        h("dd", {}, "Select a box and show its source; open or close a module"),
        h("dt", {}, "Drag, wheel"),
        h("dd", {}, "Move the drawing"),
      ),
      iconButton("close", "Close (Escape)", () => this.element.close()),
    );
    this.element.addEventListener("click", (event) => {
      if (event.target === this.element) {
        this.element.close(); // beside the window
      }
    });
  }

  toggle(): void {
    if (this.element.open) {
      this.element.close();
    } else {
      this.element.showModal();
    }
  }
}
