/** Which file, and which place in it, a command is about. */

import * as vscode from "vscode";

import { SCHEME, sourceOf } from "./documents/codeAddress";
import { asLine } from "./text";

/** A Python file of this computer. */
export interface Target {
  readonly uri: vscode.Uri;
  /** Of the cursor, as LSP counts; undefined where the file is not in an editor. */
  readonly line: number | undefined;
}

/** The file named in a command's arguments, else the one in the editor; the user is told when there is none. */
export async function target(given: unknown): Promise<Target | undefined> {
  const named = asUri(given);
  const editor = named === undefined ? currentEditor() : editorOf(named);
  const uri = named ?? (editor === undefined ? undefined : (sourceOf(editor.document.uri) ?? editor.document.uri));
  const problem = problemOf(uri, editor?.document);
  if (uri === undefined || problem !== undefined) {
    void vscode.window.showInformationMessage(asLine(problem ?? ""));
    return undefined;
  }
  if (editor?.document.uri.toString() !== uri.toString()) {
    await vscode.workspace.openTextDocument(uri); // the server answers for open documents
    return { uri, line: undefined };
  }
  return { uri, line: editor.selection.active.line };
}

function problemOf(uri: vscode.Uri | undefined, document: vscode.TextDocument | undefined): string | undefined {
  if (uri === undefined) {
    return "FX: open the Python file of a model first.";
  }
  if (uri.scheme === "untitled") {
    return "FX: save this file first. Models are run from files.";
  }
  const name = uri.path.split("/").at(-1) ?? "";
  if (uri.scheme !== "file") {
    return `FX: ${name} is not a file of this computer, so the model in it cannot be run.`;
  }
  if (!name.endsWith(".py") && document?.languageId !== "python") {
    return `FX: ${name} is not a Python file.`;
  }
  return undefined;
}

/** Where a panel or the log has the focus, the Python editor beside it is meant. */
function currentEditor(): vscode.TextEditor | undefined {
  const { activeTextEditor: active, visibleTextEditors: visible } = vscode.window;
  const isText = active !== undefined && ["file", "untitled", SCHEME].includes(active.document.uri.scheme);
  return isText ? active : (visible.find((editor) => editor.document.languageId === "python") ?? active);
}

function editorOf(uri: vscode.Uri): vscode.TextEditor | undefined {
  const shown = uri.toString();
  const { activeTextEditor: active, visibleTextEditors: visible } = vscode.window;
  return [...(active === undefined ? [] : [active]), ...visible].find((one) => one.document.uri.toString() === shown);
}

function asUri(given: unknown): vscode.Uri | undefined {
  if (given instanceof vscode.Uri) {
    return given;
  }
  return typeof given === "string" ? vscode.Uri.parse(given, true) : undefined;
}
