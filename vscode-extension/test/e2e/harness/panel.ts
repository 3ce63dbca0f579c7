/** The graph panel as its user sees it: a canvas tells nothing, so what is said, written and listed counts. */

import type { FrameLocator, Locator } from "playwright-core";

import type { Theme } from "./profile";
import { click, retried, TRY_MS, until } from "./wait";
import type { Workbench } from "./workbench";

/** How a webview's body is marked. */
const MARKS: Readonly<Record<Theme, string>> = {
  dark: "vscode-dark",
  light: "vscode-light",
  contrast: "vscode-high-contrast",
};

export class Panel {
  /** The page in the webview that is shown. */
  readonly frame: FrameLocator;

  constructor(private readonly window: Workbench) {
    this.frame = window.page
      .locator("iframe.webview.ready:visible")
      .contentFrame()
      .locator("iframe#active-frame")
      .contentFrame();
  }

  get canvas(): Locator {
    return this.frame.locator("canvas.graph");
  }

  /** Wait until a graph is drawn and nothing is being made any more. */
  async drawn(): Promise<void> {
    await this.frame.locator(".blank").waitFor({ state: "hidden" });
    await this.settled();
  }

  /** Wait until what is shown is what there is. */
  async settled(): Promise<void> {
    await this.frame.locator(".stage[aria-busy=false]:not(.stale)").waitFor();
  }

  /** The notice in place of a graph; waits for one with the heading. */
  async notice(heading: string | RegExp): Promise<string> {
    const found = this.frame
      .locator(".blank:visible")
      .filter({ has: this.frame.getByRole("heading", { name: heading }) });
    await found.waitFor();
    return found.innerText();
  }

  /** A remark above the graph. */
  remark(text: string | RegExp): Locator {
    return this.frame.locator(".remark").filter({ hasText: text });
  }

  /** Wait until a screen reader would say it: what is selected, and whether it is open. */
  async says(text: string): Promise<void> {
    await this.frame.locator(".spoken").filter({ hasText: text }).waitFor({ state: "attached" });
  }

  /** Keep pictures of the window, once the graph is drawn in each theme. */
  async shot(name: string): Promise<void> {
    await this.window.shot(name, ["contrast", "light", "dark"], async (theme) => {
      await this.frame.locator(`body.${MARKS[theme]}`).waitFor();
      await this.settled();
    });
  }

  /** What is drawn. */
  async picture(): Promise<Buffer> {
    return this.canvas.screenshot();
  }

  /** The details of what is selected. */
  get card(): Locator {
    return this.frame.getByRole("complementary", { name: "Details" });
  }

  /** Look for a box and go to the first that is found. */
  async find(query: string): Promise<void> {
    const field = this.frame.getByRole("textbox", { name: "Search the graph" });
    const count = (text: string): Promise<void> =>
      this.frame.locator(".search .count").filter({ hasText: text }).waitFor({ timeout: TRY_MS });
    await retried(`${query} is found in the graph`, async () => {
      if (!(await field.isVisible())) {
        await this.canvas.press("Control+f", { timeout: TRY_MS });
      }
      await field.fill(query, { timeout: TRY_MS });
      await count("found"); // the hits start anew when another graph comes
      await field.press("Enter", { timeout: TRY_MS });
      await count("1 of");
    });
    await field.press("Escape");
    await this.settled();
  }

  /** A key on the graph. */
  async key(name: string): Promise<void> {
    await this.canvas.press(name);
    await this.settled();
  }

  /** Choose from one of the lists above the graph. */
  async choose(list: "Class" | "Level of the graph" | "Call" | "Colour by", entry: string): Promise<void> {
    const found = this.frame.getByRole("combobox", { name: list });
    const label = await until(`${list} has ${entry}`, async () => {
      const options = await found.locator("option").allInnerTexts();
      return options.find((option) => option.includes(entry));
    });
    await found.selectOption({ label });
  }

  /** Choose what is to be exported. */
  async exports(entry: string): Promise<void> {
    const chosen = this.frame.getByRole("menuitem", { name: entry });
    await click(this.button("Export"), chosen);
    await chosen.click();
  }

  button(name: string | RegExp): Locator {
    return this.frame.getByRole("button", { name });
  }
}
