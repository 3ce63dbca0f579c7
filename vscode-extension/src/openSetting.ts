/** Opens a setting of the machine that this runs on. */

import * as vscode from "vscode";

/** In a window to another machine such settings are on a page of their own, and are not found on the user's. */
export async function openMachineSetting(id: string): Promise<void> {
  const page = vscode.env.remoteName === undefined ? "openSettings" : "openRemoteSettings";
  await vscode.commands.executeCommand(`workbench.action.${page}`, { query: `@id:${id}` });
}
