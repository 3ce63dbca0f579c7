/** The lists and fields that VS Code opens at the top of its window: files, commands, choices, names. */

import type { Locator, Page } from "playwright-core";

import { retried, TRY_MS } from "./wait";

/** The editor above all others in which VS Code shows settings and trust: few keys of the workbench pass through it. */
export const MODAL = ".modal-editor-part";

export class Picks {
  constructor(private readonly page: Page) {}

  /** The field to write in. */
  get input(): Locator {
    return this.page.locator(".quick-input-widget input.input:visible");
  }

  /** Entries of the list that is open. */
  entry(text: string | RegExp): Locator {
    return this.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: text }).first();
  }

  /** Have it opened by a key, write into it and use what it shows then; it closes when something else takes the focus. */
  async byKey(key: string, text: string, use: () => Promise<void>): Promise<void> {
    await retried(`${key} and ${text}`, async () => {
      if (await this.page.locator(MODAL).isVisible()) {
        throw new Error(`An editor above all others keeps ${key} for itself: leave it first.`);
      }
      if (!(await this.input.isVisible())) {
        await this.page.keyboard.press(key);
        await this.input.waitFor({ timeout: TRY_MS });
      }
      await this.input.fill(text, { timeout: TRY_MS });
      await use();
    });
  }

  /** Choose from a list that is open, or is about to be. */
  async pick(text: string | RegExp): Promise<void> {
    const entry = this.entry(text);
    await entry.waitFor();
    await retried(`the choice of ${String(text)}`, async () => {
      if (await entry.isVisible()) {
        await this.choose(text);
      }
    });
  }

  /** One attempt to choose; the entry is gone when it is done. */
  async choose(text: string | RegExp): Promise<void> {
    const entry = this.entry(text);
    await entry.click({ timeout: TRY_MS });
    await entry.waitFor({ state: "hidden", timeout: TRY_MS });
  }

  /** One attempt to be done with what is written. */
  async accept(): Promise<void> {
    await this.input.press("Enter", { timeout: TRY_MS });
    await this.input.waitFor({ state: "hidden", timeout: TRY_MS });
  }
}
