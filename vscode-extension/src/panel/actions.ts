/** What the buttons of a panel without a graph do. */

import * as vscode from "vscode";

import type { Action } from "./messages";
import type { Session } from "./session";

/** By the name that the page uses. */
export const ACTIONS: Record<Action, (session: Session) => Thenable<unknown>> = {
  addExample: async ({ choice, reply }) => {
    const uri = vscode.Uri.parse(choice.uri);
    const document = await vscode.workspace.openTextDocument(uri);
    const line = lineOf(document, reply?.name ?? choice.name ?? "");
    const editor = await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.One });
    editor.selection = new vscode.Selection(line, 0, line, 0);
    return vscode.commands.executeCommand("fx-lsp.addExample");
  },
  doctor: () => vscode.commands.executeCommand("fx-lsp.doctor"),
  log: () => vscode.commands.executeCommand("fx-lsp.showLog"),
  trust: () => vscode.commands.executeCommand("workbench.trust.manage"),
  settings: () => vscode.commands.executeCommand("workbench.action.openSettings", "@ext:fx-lsp.fx-lsp"),
  restart: () => vscode.commands.executeCommand("fx-lsp.restart"),
  retry: (session) => session.choose(session.choice),
};

/** The line of a class; the first line when it is not found. */
function lineOf(document: vscode.TextDocument, name: string): number {
  const wanted = new RegExp(`^\\s*class\\s+${name.split(".").at(-1) ?? ""}\\b`);
  for (let line = 0; line < document.lineCount; line += 1) {
    if (wanted.test(document.lineAt(line).text)) {
      return line;
    }
  }
  return 0;
}
