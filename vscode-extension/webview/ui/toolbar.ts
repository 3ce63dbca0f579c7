/** The row above the graph. */

import type { GraphReply } from "../../src/protocol";
import { HEATS, type HeatId } from "../model/heat";
import { Chooser, iconButton } from "./buttons";
import { h } from "./dom";
import { ExportMenu, type Export } from "./exportMenu";

/** What the toolbar can do. */
export interface ToolbarActions {
  readonly chooseName: (name: string) => void;
  readonly chooseLevel: (level: string) => void;
  readonly chooseExample: (example: number) => void;
  readonly chooseHeat: (heat: HeatId) => void;
  readonly expandAll: () => void;
  readonly collapseAll: () => void;
  readonly fit: () => void;
  readonly zoom: (factor: number) => void;
  readonly search: () => void;
  readonly help: () => void;
  readonly save: (what: Export) => void;
}

/** Shows what is chosen and what there is. */
export class Toolbar {
  readonly element: HTMLElement;
  readonly #name: Chooser;
  readonly #level: Chooser;
  readonly #example: Chooser;
  readonly #heat: Chooser;
  readonly #status = h("span", { class: "status" });
  readonly #tools: HTMLElement;

  constructor(actions: ToolbarActions) {
    this.#name = new Chooser("Class", actions.chooseName);
    this.#level = new Chooser("Level of the graph", actions.chooseLevel);
    this.#example = new Chooser("Call", (id) => actions.chooseExample(Number(id)));
    this.#heat = new Chooser("Colour by", (id) => actions.chooseHeat(id as HeatId));
    this.#name.element.classList.add("name");
    this.#example.element.classList.add("example");
    const menu = new ExportMenu(actions.save);
    this.#tools = h(
      "div",
      { class: "tools", role: "toolbar", "aria-label": "Graph" },
      iconButton("expand", "Expand all (E)", actions.expandAll),
      iconButton("collapse", "Collapse all (C)", actions.collapseAll),
      iconButton("zoomOut", "Zoom out (−)", () => actions.zoom(0.8)),
      iconButton("zoomIn", "Zoom in (+)", () => actions.zoom(1.25)),
      iconButton("fit", "Zoom to fit (F)", actions.fit),
      iconButton("search", "Search (Ctrl+F)", actions.search),
      menu.element,
    );
    this.element = h(
      "header",
      { class: "toolbar" },
      this.#name.element,
      this.#level.element,
      this.#example.element,
      this.#heat.element,
      this.#status,
      h("div", { class: "right" }, this.#tools, iconButton("help", "Keyboard shortcuts (?)", actions.help)),
    );
    this.#heat.show(HEATS, "none");
    this.show(undefined, "none");
  }

  show(reply: GraphReply | undefined, heat: HeatId): void {
    const names = reply?.names ?? [];
    const all = reply && !names.includes(reply.name) && reply.name ? [reply.name, ...names] : names;
    this.#name.show(all.map(option), reply?.name ?? "", 1);
    this.#level.show(reply?.levels ?? [], reply?.level ?? "");
    this.#example.show(
      (reply?.examples ?? []).map(({ label, status }, number) => ({
        id: String(number),
        title: `${String(number + 1)}. ${label}${status === "traced" ? "" : ` (${status})`}`,
      })),
      String(reply?.example ?? -1),
    );
    this.#heat.show(HEATS, heat);
    this.#heat.element.hidden = reply?.drawing == null;
    this.#tools.hidden = reply?.drawing == null;
  }

  /** A word on what goes on; empty when nothing does. */
  say(status: string): void {
    this.#status.textContent = status;
  }
}

function option(name: string): { id: string; title: string } {
  return { id: name, title: name };
}
