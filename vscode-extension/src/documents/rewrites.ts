/** Rewritten graphs beside the original ones, as two read-only documents. */

import * as vscode from "vscode";

import type { RewriteGraphReply } from "../protocol";

const SCHEME = "fx-lsp-rewrite";
const MOST = 16;

/** Holds the texts of the last ones. */
export class Rewrites implements vscode.TextDocumentContentProvider {
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #texts = new Map<string, string>();

  readonly onDidChange = this.#changed.event;

  /** Everything that has to be disposed of. */
  register(): vscode.Disposable {
    return vscode.Disposable.from(this.#changed, vscode.workspace.registerTextDocumentContentProvider(SCHEME, this));
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? "# FX: apply the rewrite again to see it.\n";
  }

  /** Opens both in a diff editor. */
  async show({ uri, name, rule, before, after }: RewriteGraphReply): Promise<void> {
    const address = (which: string): vscode.Uri =>
      vscode.Uri.from({ scheme: SCHEME, path: `/${name}.py`, query: JSON.stringify([which, uri, rule?.id]) });
    const [old, made] = [address("before"), address("after")];
    this.#keep(old, before);
    this.#keep(made, after);
    await vscode.commands.executeCommand("vscode.diff", old, made, `${name}: ${rule?.title ?? "rewritten"}`, {
      preview: false,
    });
  }

  #keep(uri: vscode.Uri, text: string): void {
    const key = uri.toString();
    this.#texts.delete(key);
    this.#texts.set(key, text);
    [...this.#texts.keys()].slice(0, -MOST).forEach((old) => this.#texts.delete(old));
    this.#changed.fire(uri);
  }
}
