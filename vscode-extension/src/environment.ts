/** Where the server and the models run: settings, trust and the Python extension put together. */

import { join } from "node:path";
import * as vscode from "vscode";

import { candidates } from "./interpreter/candidates";
import { choose, type Choice } from "./interpreter/choose";
import { PythonExtension } from "./interpreter/pythonExtension";
import { askVersion } from "./interpreter/version";
import { forServer } from "./settings";

/** Answers with what holds at the moment. */
export class Environment implements vscode.Disposable {
  readonly #python: PythonExtension;

  /** The Python extension's environment changed. */
  readonly onDidChange: vscode.Event<void>;
  /** The script that starts the server. */
  readonly script: string;

  constructor(extension: vscode.Uri, log: vscode.LogOutputChannel) {
    this.#python = new PythonExtension(log);
    this.onDidChange = this.#python.onDidChange;
    this.script = join(extension.fsPath, "bundled", "serve.py");
  }

  /** The interpreter for the server. */
  async server(): Promise<Choice> {
    const trusted = vscode.workspace.isTrusted;
    const found = candidates({
      setting: configuration().get("serverInterpreter", ""),
      environment: await this.#models(),
      folders: folders().map((folder) => folder.fsPath),
      trusted,
      searchPath: process.env["PATH"] ?? "",
      windows: process.platform === "win32",
    });
    return choose(found, askVersion);
  }

  /** The settings for the server, for everything or for a folder, which may have an environment of its own. */
  async settings(folder?: vscode.Uri): Promise<Record<string, unknown>> {
    const written = vscode.workspace.getConfiguration(undefined, folder).get("fx-lsp");
    return forServer(written, await this.#models(folder));
  }

  dispose(): void {
    this.#python.dispose();
  }

  /** The Python extension runs interpreters to learn of them, so it is asked for nothing before there is trust. */
  async #models(folder = folders()[0]): Promise<string | undefined> {
    return vscode.workspace.isTrusted ? this.#python.interpreter(folder) : undefined;
  }
}

function folders(): vscode.Uri[] {
  const all = vscode.workspace.workspaceFolders ?? [];
  return all.map((folder) => folder.uri).filter((uri) => uri.scheme === "file");
}

function configuration(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration("fx-lsp");
}
