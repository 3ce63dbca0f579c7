/** A fresh profile: folders of its own for everything that VS Code and the browser write, and settings. */

import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";

import { PYTHON } from "./places";

export type Settings = Readonly<Record<string, unknown>>;

/** Silent about everything that is not under test. */
const QUIET: Settings = {
  "chat.disableAIFeatures": true,
  "editor.lightbulb.enabled": "on",
  "editor.minimap.enabled": false,
  "editor.occurrencesHighlight": "off",
  "editor.stickyScroll.enabled": false,
  "editor.wordBasedSuggestions": "off",
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
  "files.autoSave": "off",
  "git.enabled": false,
  "git.openRepositoryInParentFolders": "never",
  "remote.autoForwardPorts": false,
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "typescript.disableAutomaticTypeAcquisition": true,
  "update.mode": "none",
  "window.commandCenter": false,
  "window.confirmBeforeClose": "never",
  "window.restoreWindows": "none",
  "workbench.enableExperiments": false,
  "workbench.layoutControl.enabled": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.settings.enableNaturalLanguageSearch": false,
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.welcomePage.walkthroughs.openOnInstall": false,
};

/** Themes in which pictures are taken, with the background of editors that they have. */
export const THEMES = {
  dark: { setting: "Default Dark Modern", background: "#1f1f1f" },
  light: { setting: "Default Light Modern", background: "#ffffff" },
  contrast: { setting: "Default High Contrast", background: "#000000" },
} as const;

export type Theme = keyof typeof THEMES;

/** Names take the place of sizes a moment later: what is seen would depend on when one looks. */
const NUMBERS: Settings = { "fx-lsp.dimNames": false };

/** Models and the server run in the interpreter that has torch. */
const INTERPRETERS: Settings = { "fx-lsp.interpreter": PYTHON, "fx-lsp.serverInterpreter": PYTHON };

/** An entry of VS Code's list of extensions. */
interface Installed {
  readonly location: { readonly path: string };
}

/** Lives in a temporary folder until it is removed. */
export class Profile {
  readonly root = mkdtempSync(path.join(tmpdir(), "fx-lsp-e2e-"));
  #workspaces = 0;
  #changes: Settings = {};

  /** A folder of this profile; it is made where it is not there. */
  folder(...names: string[]): string {
    const made = path.join(this.root, ...names);
    mkdirSync(made, { recursive: true });
    return made;
  }

  get extensions(): string {
    return this.folder("extensions");
  }

  /** The folders of extensions, as soon as that many are installed. */
  installed(count: number): string[] | undefined {
    const list = path.join(this.extensions, "extensions.json");
    const found = existsSync(list) ? (JSON.parse(readFileSync(list, "utf8") || "[]") as Installed[]) : [];
    return found.length < count ? undefined : found.map(({ location }) => location.path);
  }

  /** The environment of everything that is started. */
  environment(changes: Readonly<Record<string, string>> = {}): Record<string, string> {
    const inherited = Object.entries(process.env).filter(
      ([name]) => !/^(VSCODE_|NODE_|VIRTUAL_ENV$|CONDA_|PYTHON|XDG_)/.test(name),
    );
    return {
      ...(Object.fromEntries(inherited) as Record<string, string>),
      HOME: this.folder("home"),
      XDG_CONFIG_HOME: this.folder("config"),
      XDG_DATA_HOME: this.folder("data"),
      XDG_CACHE_HOME: this.folder("cache"),
      TMPDIR: this.folder("tmp"),
      EXTENSIONS_GALLERY: "{}",
      ...changes,
    };
  }

  /** Settings of the user, which are those of the machine too: some count only there. */
  writeSettings(changes: Settings = {}, theme: Theme = "dark"): void {
    this.#changes = changes;
    const look = { "workbench.colorTheme": THEMES[theme].setting };
    const text = JSON.stringify({ ...QUIET, ...NUMBERS, ...INTERPRETERS, ...look, ...changes }, undefined, 2);
    for (const whose of ["User", "Machine"]) {
      const file = path.join(this.folder("user", whose), "settings.json");
      writeFileSync(`${file}.new`, text);
      renameSync(`${file}.new`, file); // at once: VS Code may read while it is written
    }
  }

  /** The same settings in another theme. */
  writeTheme(theme: Theme): void {
    this.writeSettings(this.#changes, theme);
  }

  /** A new workspace folder with copies of folders, and files of the given content. */
  workspace(copied: readonly string[], files: Readonly<Record<string, string>> = {}): string {
    const made = this.folder("workspaces", String(++this.#workspaces));
    for (const source of copied) {
      cpSync(source, made, { recursive: true, filter: (name) => !name.includes("__pycache__") });
    }
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(made, name)), { recursive: true });
      writeFileSync(path.join(made, name), text);
    }
    return made;
  }

  /** A file that may be executed. */
  program(file: string, text: string): string {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text, { mode: 0o755 });
    return file;
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}
