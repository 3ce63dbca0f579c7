/** What can be done about the state that the status bar shows. */

import * as vscode from "vscode";

import { openMachineSetting } from "../openSetting";
import type { Server } from "../server";
import { look } from "../state";
import type { Command } from ".";

interface Entry extends vscode.QuickPickItem {
  run(): Thenable<unknown>;
}

export const showMenu: Command = async ({ server }) => {
  const picked = await vscode.window.showQuickPick([...remedies(server), ...ALWAYS], {
    title: "FX",
    placeHolder: look(server.state).sentence,
  });
  await picked?.run();
};

const ALWAYS: readonly Entry[] = [
  entry("$(output) Show Log", "fx-lsp.showLog"),
  entry("$(debug-restart) Restart", "fx-lsp.restart"),
  entry("$(pulse) Doctor", "fx-lsp.doctor"),
  entry("$(list-selection) Choose Call", "fx-lsp.chooseCall"),
  entry("$(settings-gear) Settings", "workbench.action.openSettings", "@ext:fx-lsp.fx-lsp"),
];

/** What helps most likely comes first. */
function remedies(server: Server): Entry[] {
  const found: Entry[] = [];
  if (!vscode.workspace.isTrusted) {
    found.push(entry("$(shield) Manage Workspace Trust", "workbench.trust.manage"));
  }
  if (server.state.state === "error") {
    const setting = server.running ? "fx-lsp.interpreter" : "fx-lsp.serverInterpreter";
    found.push({ label: "$(gear) Choose Interpreter", run: () => openMachineSetting(setting) });
  }
  return found;
}

function entry(label: string, command: string, ...given: readonly string[]): Entry {
  return { label, run: () => vscode.commands.executeCommand(command, ...given) };
}
