/** The window of VS Code as its user sees it. Every wait has a time-out that fails. */

import { mkdirSync } from "node:fs";
import * as path from "node:path";

import type { Locator, Page } from "playwright-core";

import { SHOTS } from "./places";
import { THEMES, type Profile, type Theme } from "./profile";
import { until } from "./wait";

/** What the first run needs: torch is imported. */
const PATIENCE_MS = 60_000;

const PALETTE_MS = 5_000;

export class Workbench {
  /** What the browser's console said. */
  readonly console: string[] = [];

  constructor(
    readonly page: Page,
    readonly profile: Profile,
    readonly workspace: string,
  ) {
    page.setDefaultTimeout(20_000);
    page.on("console", (message) => this.console.push(`${message.type()} ${message.text()}`));
    page.on("pageerror", (error) => this.console.push(`error ${error.message}`));
  }

  /** Wait until it is drawn, with the text of the file that was asked for. */
  async ready(file: string | undefined): Promise<void> {
    await this.page.locator(".monaco-workbench").waitFor({ timeout: PATIENCE_MS });
    if (file !== undefined) {
      await this.page.locator(".editor-instance .view-line").first().waitFor({ timeout: PATIENCE_MS });
    }
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }

  // --- text -------------------------------------------------------------------------------------------------------

  /** A line of an editor that contains a text, hints and all. */
  line(text: string | RegExp): Locator {
    return this.page
      .locator(".editor-instance .view-line")
      .filter({ hasText: spaced(text) })
      .first();
  }

  /** Wait for a line with a text, such as a hint. */
  async sees(text: string | RegExp): Promise<void> {
    await this.line(text).waitFor({ timeout: PATIENCE_MS });
  }

  /** Wait until no line has the text. */
  async seesNoMore(text: string | RegExp): Promise<void> {
    await this.line(text).waitFor({ state: "hidden", timeout: PATIENCE_MS });
  }

  /** A lens that is drawn. */
  lens(text: string | RegExp): Locator {
    const lens = this.page.locator(".codelens-decoration").locator("a, > span");
    return lens.filter({ hasText: text, visible: true }).first();
  }

  /** The pointer goes to a word in a line; the card that comes up. */
  async hover(line: string | RegExp, word: string): Promise<Locator> {
    await this.line(line).getByText(word, { exact: false }).first().hover();
    const card = this.page.locator(".monaco-hover:visible .hover-contents").first();
    await card.waitFor();
    return this.page.locator(".monaco-hover:visible").first();
  }

  /** The pointer leaves, and with it the card. */
  async dismissHover(): Promise<void> {
    await this.page.mouse.move(5, 5);
    await this.page.locator(".monaco-hover:visible").waitFor({ state: "hidden" });
  }

  squiggle(severity: "error" | "warning" | "hint"): Locator {
    return this.page.locator(`.squiggly-${severity}`).first();
  }

  /** Open a file of the workspace in the same window, as `name:line:column`. */
  async openFile(name: string): Promise<void> {
    await this.page.keyboard.press("Control+p");
    await this.quickInput.fill(name);
    const file = name.split(/:|\//).find((part) => part.endsWith(".py")) ?? name;
    await this.pick(file);
    await this.page.locator(".tabs-container .tab.active").filter({ hasText: file }).first().waitFor();
  }

  /** Apply a quick fix at the cursor. */
  async quickFix(title: string): Promise<void> {
    await this.focusEditor();
    await this.page.keyboard.press("Control+.");
    await this.page.locator(".action-widget .monaco-list-row").filter({ hasText: title }).click();
  }

  /** Type a line anew. */
  async replaceLine(line: number, text: string): Promise<void> {
    await this.goTo(line);
    await this.page.keyboard.press("Shift+End");
    await this.page.keyboard.insertText(text);
  }

  async save(): Promise<void> {
    await this.page.keyboard.press("Control+s");
  }

  /** Keys go to the text of the editor that is shown. */
  async focusEditor(): Promise<void> {
    await this.page.locator(".editor-group-container.active .editor-instance .native-edit-context").first().focus();
  }

  /** The cursor goes to a place, both counted from 1. */
  async goTo(line: number, column = 1): Promise<void> {
    await this.toEditor();
    await this.page.keyboard.press("Control+g");
    await this.quickInput.fill(`:${String(line)}:${String(column)}`);
    await this.page.keyboard.press("Enter");
    await this.cursorIs(line, column);
  }

  /** The first editor gets the focus, and with it the keys. */
  async toEditor(): Promise<void> {
    await this.page.keyboard.press("Control+1");
    await this.page.locator(".editor-group-container.active .editor-instance .focused").first().waitFor();
  }

  /** Wait until the cursor is there, with so many characters selected. */
  async cursorIs(line: number, column: number, selected = 0): Promise<void> {
    const text = `Ln ${String(line)}, Col ${String(column)}${selected > 0 ? ` (${String(selected)} selected)` : ""}`;
    await this.page.locator(".statusbar-item").getByText(text, { exact: true }).waitFor();
  }

  /** Place of the cursor, as the status bar says it. */
  async cursor(): Promise<string> {
    return this.page.locator("#status\\.editor\\.selection").innerText();
  }

  /** The text of all lines that are drawn, hints and all. */
  async text(): Promise<string> {
    const lines = await this.page.locator(".editor-instance .view-line").allInnerTexts();
    return lines.join("\n").replaceAll("\u00a0", " ");
  }

  // --- commands and what comes of them ------------------------------------------------------------------------------

  /** Run a command by its title, from the palette; which closes when a panel that is being made takes the focus. */
  async run(title: string): Promise<void> {
    for (let tries = 3; ; tries -= 1) {
      try {
        await this.page.keyboard.press("F1");
        await this.quickInput.fill(`>${title}`, { timeout: PALETTE_MS });
        await this.entry(title).click({ timeout: PALETTE_MS });
        return;
      } catch (error) {
        if (tries === 0) {
          throw error;
        }
      }
    }
  }

  get quickInput(): Locator {
    return this.page.locator(".quick-input-widget input.input:visible");
  }

  /** Entries of the list that is open. */
  entry(text: string | RegExp): Locator {
    return this.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: text }).first();
  }

  /** Choose from the list that is open. */
  async pick(text: string | RegExp): Promise<void> {
    await this.entry(text).click();
  }

  /** The entry in the status bar. */
  get status(): Locator {
    return this.page.locator(".statusbar-item[id='fx-lsp.fx-lsp.fx-lsp.status']");
  }

  /** Wait until the status item says it. */
  async statusIs(text: string | RegExp): Promise<void> {
    await this.status.filter({ hasText: text }).waitFor({ timeout: PATIENCE_MS });
  }

  /** What the status item says when the pointer is on it. */
  async statusSays(): Promise<string> {
    await this.status.hover();
    const card = this.page.locator(".monaco-hover:visible, .workbench-hover:visible").filter({ hasText: "FX" }).first();
    await card.waitFor();
    return card.innerText();
  }

  /** Wait for a message to the user; its text. They go after a while: the list keeps them. */
  async message(text: string | RegExp): Promise<string> {
    const list = this.page.locator(".notifications-center.visible");
    if (!(await list.isVisible())) {
      await this.page.locator("#status\\.notifications").click();
    }
    const found = list.locator(".notification-list-item").filter({ hasText: text }).first();
    await found.waitFor({ timeout: PATIENCE_MS });
    return found.innerText();
  }

  /** A button of a message. */
  button(name: string): Locator {
    return this.page.locator(".notifications-center.visible").getByRole("button", { name }).first();
  }

  async tab(name: string | RegExp): Promise<Locator> {
    const found = this.page.locator(".tabs-container .tab").filter({ hasText: name }).first();
    await found.waitFor();
    return found;
  }

  /** Close a tab; the editor gets the focus. */
  async closeTab(name: string): Promise<void> {
    const tab = await this.tab(name);
    await tab.click({ button: "middle" });
    await tab.waitFor({ state: "detached" });
    await this.toEditor();
  }

  /** VS Code may miss one of two changes of its settings that come close together: then they are written again. */
  async #dress(theme: Theme): Promise<void> {
    await until(`the theme ${theme}`, async () => {
      this.profile.writeTheme(theme);
      const seen = async (): Promise<true | undefined> =>
        (await this.#background()) === THEMES[theme].background ? true : undefined;
      return until("the background", seen, 4_000).catch(() => undefined);
    });
  }

  /** Of editors, as the theme says it. */
  async #background(): Promise<string> {
    const name = "--vscode-editor-background";
    return this.page
      .locator(".monaco-workbench")
      .evaluate((element, name) => getComputedStyle(element).getPropertyValue(name).trim(), name);
  }

  /** Keep pictures of it in each theme, to be looked at; `dressed`: wait until the parts of others have it on too. */
  async shot(
    name: string,
    themes: readonly Theme[] = ["light", "dark"],
    dressed: (theme: Theme) => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    mkdirSync(SHOTS, { recursive: true });
    for (const theme of themes) {
      await this.#dress(theme);
      await dressed(theme);
      await this.page.screenshot({ path: path.join(SHOTS, `${name}-${theme}.png`), animations: "disabled" });
    }
  }
}

/** Editors draw spaces as no-break spaces, which a pattern does not take for spaces. */
function spaced(text: string | RegExp): string | RegExp {
  return typeof text === "string" ? text : new RegExp(text.source.replaceAll(" ", "\\s"), text.flags);
}
