/** Shows an expression in an editor beside the panel. */

import * as vscode from "vscode";

import type { Place } from "../protocol";

/** Remembers what it selected, so that this is not taken for a move of the user's. */
export class Reveal {
  #last = "";

  constructor(private readonly column: () => vscode.ViewColumn | undefined) {}

  /** Select it; the panel keeps the focus unless `focus` is set. */
  async show(place: Place, focus: boolean): Promise<void> {
    const uri = vscode.Uri.parse(place.uri);
    const range = rangeOf(place);
    this.#last = key(uri, range);
    const editor = await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), {
      viewColumn: this.#besides(uri),
      preserveFocus: !focus,
      preview: true,
      selection: range,
    });
    editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  /** Whether a selection is the one made here. */
  caused(uri: vscode.Uri, selection: vscode.Selection): boolean {
    return key(uri, selection) === this.#last;
  }

  /** Where the file is shown, else the column of another editor than the panel, else a new one. */
  #besides(uri: vscode.Uri): vscode.ViewColumn {
    const editors = vscode.window.visibleTextEditors.filter(({ viewColumn }) => viewColumn !== undefined);
    const shown = editors.find(({ document }) => document.uri.toString() === uri.toString());
    const other = editors.find(({ viewColumn }) => viewColumn !== this.column());
    return (shown ?? other)?.viewColumn ?? vscode.ViewColumn.Beside;
  }
}

function rangeOf({ range: { start, end } }: Place): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

function key(uri: vscode.Uri, { start, end }: vscode.Range): string {
  return [uri.toString(), start.line, start.character, end.line, end.character].join(" ");
}
