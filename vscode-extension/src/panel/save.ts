/** Saves what was exported where the user says. */

import * as vscode from "vscode";

import { asLine } from "../text";
import { fileName } from "./fileName";
import type { Choice, ServerFormat } from "./messages";

const NAMES: Record<ServerFormat | "svg" | "png", string> = {
  svg: "SVG",
  png: "PNG",
  dot: "Graphviz",
  json: "JSON",
  py: "Python",
};

/** Ask for a file, write it, and offer to open it. */
export async function save(choice: Choice, format: keyof typeof NAMES, bytes: Uint8Array): Promise<void> {
  const folder = vscode.Uri.joinPath(vscode.Uri.parse(choice.uri), "..");
  const target = await vscode.window.showSaveDialog({
    defaultUri: vscode.Uri.joinPath(folder, fileName(choice, format)),
    filters: { [NAMES[format]]: [format] },
    title: "Export FX Graph",
  });
  if (target === undefined) {
    return;
  }
  await vscode.workspace.fs.writeFile(target, bytes);
  const open = "Open";
  const answer = await vscode.window.showInformationMessage(
    `Saved ${asLine(vscode.workspace.asRelativePath(target))}`,
    open,
  );
  if (answer === open) {
    await vscode.commands.executeCommand("vscode.open", target);
  }
}
