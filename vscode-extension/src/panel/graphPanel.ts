/** The graph panels: one for each class that is looked at. */

import * as vscode from "vscode";

import type { Requests } from "../server";
import type { Choice, SavedState } from "./messages";
import { Panel, VIEW_TYPE } from "./panel";

/** Opens the panels, brings back those that were open, and closes them with the extension. */
export class GraphPanels implements vscode.Disposable {
  readonly #panels = new Set<Panel>();

  /** Brings panels back after a restart of the editor. */
  readonly serializer: vscode.WebviewPanelSerializer<SavedState | undefined> = {
    deserializeWebviewPanel: (webview, state) => {
      if (state === undefined) {
        webview.dispose();
      } else {
        this.#adopt(webview, state.choice);
      }
      return Promise.resolve();
    },
  };

  constructor(
    private readonly extensionUri: vscode.Uri,
    private readonly server: Requests,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** Show a class of a file: `name`, else the one nearest to the line. A class has one panel. */
  async show(uri: vscode.Uri, name?: string, line?: number): Promise<void> {
    const file = uri.toString();
    const ofFile = [...this.#panels].filter((panel) => panel.uri === file);
    const wanted = ofFile.length > 0 ? (name ?? (await this.#nearest(file, line))) : name;
    const there = ofFile.find((panel) => wanted === undefined || panel.name === wanted);
    if (there !== undefined) {
      there.reveal();
      return;
    }
    const webview = vscode.window.createWebviewPanel(
      VIEW_TYPE,
      "FX graph",
      { viewColumn: this.#column ?? vscode.ViewColumn.Beside, preserveFocus: false },
      { retainContextWhenHidden: true },
    );
    this.#adopt(webview, { uri: file, name: wanted, line });
  }

  dispose(): void {
    this.#panels.forEach((panel) => panel.dispose());
  }

  /** Where the other panels are. */
  get #column(): vscode.ViewColumn | undefined {
    return [...this.#panels].find(({ column }) => column !== undefined)?.column;
  }

  #adopt(webview: vscode.WebviewPanel, choice: Choice): void {
    const uri = vscode.Uri.parse(choice.uri).toString(); // one notation, to compare
    const panel = new Panel(webview, { ...choice, uri }, this.extensionUri, this.server, this.log);
    this.#panels.add(panel);
    webview.onDidDispose(() => {
      this.#panels.delete(panel);
      panel.dispose();
    });
  }

  /** Name of the class that the server would show; undefined when it cannot say. */
  async #nearest(uri: string, line: number | undefined): Promise<string | undefined> {
    try {
      const reply = await this.server.request<{ name: string }>("fx/graph", { textDocument: { uri }, line });
      return reply.name || undefined;
    } catch (error) {
      this.log.warn(`Which class is at line ${String(line)} of ${uri}: ${String(error)}`);
      return undefined;
    }
  }
}
