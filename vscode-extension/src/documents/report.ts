/** The doctor's report as a read-only document. */

import * as vscode from "vscode";

const SCHEME = "fx-lsp-doctor";
const REPORT = vscode.Uri.from({ scheme: SCHEME, path: "/FX Doctor.md" });

/** Holds the last report. */
export class Report implements vscode.TextDocumentContentProvider {
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  #text = "";

  readonly onDidChange = this.#changed.event;

  /** Everything that has to be disposed of. */
  register(): vscode.Disposable {
    return vscode.Disposable.from(this.#changed, vscode.workspace.registerTextDocumentContentProvider(SCHEME, this));
  }

  provideTextDocumentContent(): string {
    return this.#text;
  }

  async show(text: string): Promise<void> {
    this.#text = text;
    this.#changed.fire(REPORT);
    await vscode.window.showTextDocument(REPORT, { preview: true });
  }
}
