/** The window of VS Code as its user sees it. Every wait has an end that fails. */

import { mkdirSync } from "node:fs";
import * as path from "node:path";

import type { Locator, Page } from "playwright-core";

import { MODAL, Picks } from "./picks";
import { SHOTS } from "./places";
import { THEMES, type Profile, type Theme } from "./profile";
import { StatusEntry } from "./statusEntry";
import { click, PATIENCE_MS, retried, START_MS, TRY_MS, until } from "./wait";

export class Workbench {
  /** What the browser's console said. */
  readonly console: string[] = [];
  /** Lists and fields at the top. */
  readonly picks: Picks;
  readonly status: StatusEntry;

  constructor(
    readonly page: Page,
    readonly profile: Profile,
    readonly workspace: string,
  ) {
    this.picks = new Picks(page);
    this.status = new StatusEntry(page, this.picks);
    page.setDefaultTimeout(PATIENCE_MS);
    page.on("console", (message) => this.console.push(`${message.type()} ${message.text()}`));
    page.on("pageerror", (error) => this.console.push(`error ${error.message}`));
  }

  /** Wait until it is drawn, with the text of the file that was asked for. */
  async ready(file: string | undefined): Promise<void> {
    await this.page.locator(".monaco-workbench").waitFor({ timeout: START_MS });
    if (file !== undefined) {
      await this.page.locator(".editor-instance .view-line").first().waitFor({ timeout: START_MS });
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
    await this.line(text).waitFor();
  }

  /** Wait until no line has the text. */
  async seesNoMore(text: string | RegExp): Promise<void> {
    await this.line(text).waitFor({ state: "hidden" });
  }

  /** A line of a notebook's cell that contains a text, hints and all. */
  cellLine(text: string | RegExp): Locator {
    return this.page
      .locator(".notebookOverlay .view-line")
      .filter({ hasText: spaced(text) })
      .first();
  }

  /** Type a line of a cell anew. */
  async replaceInCell(line: string, text: string): Promise<void> {
    await this.cellLine(line).click();
    for (const key of ["End", "Shift+Home"]) {
      await this.page.keyboard.press(key);
    }
    await this.page.keyboard.insertText(text);
  }

  /** A lens that is drawn. */
  lens(text: string | RegExp): Locator {
    const lens = this.page.locator(".codelens-decoration").locator("a, > span");
    return lens.filter({ hasText: text, visible: true }).first();
  }

  /** The pointer goes to a word in a line; the card that comes up, as soon as it says something. */
  async hover(line: string | RegExp, word: string, says: string | RegExp): Promise<string> {
    const card = this.page.locator(".monaco-hover:visible").filter({ hasText: says }).first();
    return retried(`hover over ${word}`, async () => {
      if (!(await card.isVisible())) {
        await this.page.mouse.move(5, 5);
        await this.line(line).getByText(word, { exact: false }).first().hover({ timeout: TRY_MS });
        await card.waitFor({ timeout: TRY_MS });
      }
      return card.innerText({ timeout: TRY_MS });
    });
  }

  /** The pointer leaves, and with it the card. */
  async dismissHover(): Promise<void> {
    await retried("no hover", async () => {
      await this.page.mouse.move(5, 5);
      await this.page.locator(".monaco-hover:visible").waitFor({ state: "hidden", timeout: TRY_MS });
    });
  }

  squiggle(severity: "error" | "warning" | "hint"): Locator {
    return this.page.locator(`.squiggly-${severity}`).first();
  }

  /** Open a file of the workspace in the same window, as `name:line:column`. */
  async openFile(name: string): Promise<void> {
    const file = name.split(/:|\//).find((part) => part.endsWith(".py")) ?? name;
    await this.picks.byKey("Control+p", name, () => this.picks.choose(file));
    await this.page.locator(".tabs-container .tab.active").filter({ hasText: file }).first().waitFor();
  }

  /** Titles of the quick fixes at the cursor, in their order. */
  async quickFixes(): Promise<string[]> {
    const rows = this.page.locator(".action-widget .monaco-list-row.action");
    return retried("the list of quick fixes", async () => {
      if (!(await rows.first().isVisible())) {
        await this.#press("Control+.");
        await rows.first().waitFor({ timeout: TRY_MS });
      }
      const titles = await rows.allInnerTexts();
      await this.#press("Escape");
      await rows.first().waitFor({ state: "hidden", timeout: TRY_MS });
      return titles;
    });
  }

  /** Apply a quick fix at the cursor. */
  async quickFix(title: string): Promise<void> {
    const fix = this.page.locator(".action-widget .monaco-list-row").filter({ hasText: title });
    await retried(`the quick fix ${title}`, async () => {
      if (!(await fix.isVisible())) {
        await this.#press("Control+.");
        await fix.waitFor({ timeout: TRY_MS });
      }
      await fix.click({ timeout: TRY_MS });
      await fix.waitFor({ state: "hidden", timeout: TRY_MS });
    });
  }

  /** Type a line anew. */
  async replaceLine(line: number, text: string): Promise<void> {
    await this.goTo(line);
    await this.#press("Shift+End");
    await this.type(text);
    await this.cursorIs(line, text.length + 1);
  }

  /** Write at the cursor of the editor that is shown. */
  async type(text: string): Promise<void> {
    await this.#keys.focus();
    await this.page.keyboard.insertText(text);
  }

  /** Take back the last change in the first editor. */
  async undo(): Promise<void> {
    await this.toEditor();
    await this.#press("Control+z");
  }

  async save(): Promise<void> {
    const changed = this.page.locator(".editor-group-container.active .tab.active.dirty");
    await retried("the file is saved", async () => {
      if (await changed.isVisible()) {
        await this.#press("Control+s");
        await changed.waitFor({ state: "hidden", timeout: TRY_MS });
      }
    });
  }

  /** The cursor goes to a place, both counted from 1. */
  async goTo(line: number, column = 1): Promise<void> {
    await this.toEditor();
    await this.picks.byKey("Control+g", `:${String(line)}:${String(column)}`, () => this.picks.accept());
    await this.cursorIs(line, column);
  }

  /** The first editor gets the focus, and with it the keys. */
  async toEditor(): Promise<void> {
    const focused = this.page.locator(".editor-group-container.active .editor-instance .focused").first();
    await retried("the focus is in the first editor", async () => {
      await this.page.keyboard.press("Control+1");
      await focused.waitFor({ timeout: TRY_MS });
    });
  }

  /** What takes the keys of the editor that is shown. */
  get #keys(): Locator {
    return this.page.locator(".editor-group-container.active .editor-instance .native-edit-context").first();
  }

  async #press(key: string): Promise<void> {
    await this.#keys.press(key, { timeout: TRY_MS });
  }

  /** Wait until the cursor is there, with so many characters selected. */
  async cursorIs(line: number, column: number, selected = 0, patience = PATIENCE_MS): Promise<void> {
    const text = `Ln ${String(line)}, Col ${String(column)}${selected > 0 ? ` (${String(selected)} selected)` : ""}`;
    await this.page.locator(".statusbar-item").getByText(text, { exact: true }).waitFor({ timeout: patience });
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

  /** Run a command by its title, from the palette. */
  async run(title: string): Promise<void> {
    await this.picks.byKey("F1", `>${title}`, () => this.picks.choose(title));
  }

  /** Trust the workspace, as the status item's menu offers it. */
  async trust(): Promise<void> {
    await this.status.choose("Manage Workspace Trust");
    const editor = this.page.locator(".workspace-trust-editor");
    await click(
      editor.getByRole("button", { name: "Trust", exact: true }).first(),
      this.page.locator(".workspace-trust-editor.trusted"),
    );
    await this.leaveModal();
  }

  /** Close the editor above all others, in which VS Code shows settings and trust: it keeps the keys for itself. */
  async leaveModal(): Promise<void> {
    const modal = this.page.locator(MODAL);
    await modal.waitFor();
    await retried("the editor above all others closes", async () => {
      if (await modal.isVisible()) {
        await modal.getByRole("button", { name: "Close Modal Editor" }).click({ timeout: TRY_MS });
        await modal.waitFor({ state: "detached", timeout: TRY_MS });
      }
    });
  }

  /** Wait for a message to the user; its text. They go after a while: the list keeps them. */
  async message(text: string | RegExp): Promise<string> {
    const list = this.page.locator(".notifications-center.visible");
    await click(this.page.locator("#status\\.notifications"), list);
    const found = list.locator(".notification-list-item").filter({ hasText: text }).first();
    await found.waitFor();
    return found.innerText();
  }

  /** A button of a message. */
  button(name: string): Locator {
    return this.page.locator(".notifications-center.visible").getByRole("button", { name }).first();
  }

  /** The tab of an editor, as soon as it is there. */
  tab(name: string | RegExp): Locator {
    return this.page.locator(".tabs-container .tab").filter({ hasText: name }).first();
  }

  /** Close the panel at the bottom. */
  async closeBottom(): Promise<void> {
    const bottom = this.page.locator(".part.panel");
    await retried("the panel at the bottom closes", async () => {
      if (await bottom.isVisible()) {
        await this.page.keyboard.press("Control+j");
        await bottom.waitFor({ state: "hidden", timeout: TRY_MS });
      }
    });
  }

  /** Close a tab; the editor gets the focus. */
  async closeTab(name: string): Promise<void> {
    const tab = this.tab(name);
    await tab.waitFor();
    await retried(`the tab ${name} closes`, async () => {
      if (await tab.isVisible()) {
        await tab.click({ button: "middle", timeout: TRY_MS });
        await tab.waitFor({ state: "detached", timeout: TRY_MS });
      }
    });
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
