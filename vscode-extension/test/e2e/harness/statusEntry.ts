/** The entry of the extension in the status bar. */

import type { Locator, Page } from "playwright-core";

import type { Picks } from "./picks";
import { click, retried, TRY_MS } from "./wait";

export class StatusEntry {
  constructor(
    private readonly page: Page,
    private readonly picks: Picks,
  ) {}

  get item(): Locator {
    return this.page.locator(".statusbar-item[id='fx-lsp.fx-lsp.fx-lsp.status']");
  }

  /** Wait until it shows a text. */
  async is(text: string | RegExp): Promise<void> {
    await this.item.filter({ hasText: text }).waitFor();
  }

  /** What it says when the pointer is on it, as soon as that has a text. */
  async says(text: string | RegExp): Promise<string> {
    const card = this.page.locator(".monaco-hover:visible, .workbench-hover:visible").filter({ hasText: text }).first();
    return retried(`the status item says ${String(text)}`, async () => {
      await this.page.mouse.move(5, 5);
      await this.item.hover({ timeout: TRY_MS });
      await card.waitFor({ timeout: TRY_MS });
      return card.innerText({ timeout: TRY_MS });
    });
  }

  /** Open its menu. */
  async open(): Promise<void> {
    await click(this.item, this.picks.input);
  }

  /** Choose from its menu. */
  async choose(entry: string): Promise<void> {
    await this.open();
    await this.picks.pick(entry);
  }
}
