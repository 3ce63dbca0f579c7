/** What the colours of the heat mean. */

import type { Theme } from "../draw/theme";
import { HEATS, type HeatId } from "../model/heat";
import { fill, h } from "./dom";

const STEPS = 16;

/** In a corner of the stage, while there is heat. */
export class Legend {
  readonly element = h("div", { class: "legend", hidden: true });

  show(heat: HeatId, hottest: number, theme: Theme): void {
    this.element.hidden = heat === "none";
    const about = HEATS.find(({ id }) => id === heat);
    if (about === undefined || heat === "none") {
      return;
    }
    const ramp = h("div", { class: "ramp", "aria-hidden": "true" });
    for (let step = 0; step < STEPS; step += 1) {
      const part = h("span");
      part.style.background = theme.heat[Math.round((step / (STEPS - 1)) * (theme.heat.length - 1))] ?? "";
      ramp.append(part);
    }
    const most = hottest > 0 ? about.format(hottest) : "none";
    fill(
      this.element,
      h("span", { class: "legend-title" }, about.title),
      h("span", {}, "0"),
      ramp,
      h("span", {}, most),
    );
  }
}
