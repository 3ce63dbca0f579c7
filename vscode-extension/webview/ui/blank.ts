/** Covers the stage where there is no graph. */

import type { Action } from "../../src/panel/messages";
import { textButton } from "./buttons";
import { fill, h, icon } from "./dom";
import { ICONS } from "./icons";
import type { Notice, Remark } from "./notices";

/** A notice in the middle. */
export class Blank {
  readonly element = h("div", { class: "blank", role: "status", hidden: true });

  constructor(
    private readonly act: (action: Action) => void,
    private readonly showPlace: () => void,
  ) {}

  show(notice: Notice | undefined): void {
    this.element.hidden = notice === undefined;
    if (notice === undefined) {
      return;
    }
    this.element.className = `blank ${notice.kind}`;
    const sign = { wait: undefined, info: ICONS.graph, error: ICONS.warning }[notice.kind];
    const buttons = notice.actions.map(([title, action], number) =>
      textButton(title, () => this.act(action), number === 0 && !notice.place ? "primary" : "secondary"),
    );
    if (notice.place) {
      buttons.unshift(textButton("Show in source", this.showPlace, "primary"));
    }
    fill(
      this.element,
      sign === undefined ? h("div", { class: "spinner" }) : icon(sign),
      h("h2", {}, notice.title),
      h("p", {}, notice.text),
      buttons.length > 0 ? h("div", { class: "buttons" }, ...buttons) : undefined,
    );
  }
}

/** One line above the graph for each remark. */
export class Remarks {
  readonly element = h("div", { class: "remarks" });

  constructor(
    private readonly showNode: (node: number) => void,
    private readonly showPlace: () => void,
  ) {}

  show(remarks: readonly Remark[], hasPlace: boolean): void {
    fill(
      this.element,
      ...remarks.map(({ kind, text, node }) =>
        h(
          "div",
          { class: `remark ${kind}`, role: kind === "error" ? "alert" : "note" },
          icon(kind === "error" ? ICONS.warning : ICONS.info),
          h("span", { title: text }, text),
          node >= 0 ? textButton("Show", () => this.showNode(node)) : undefined,
          kind === "error" && hasPlace ? textButton("Source", this.showPlace) : undefined,
        ),
      ),
    );
  }
}
