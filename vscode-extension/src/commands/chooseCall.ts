/** Lets the user choose the call whose shapes are shown first, among all that ran through a file. */

import * as vscode from "vscode";

import { callItems, type Examples } from "../calls";
import { target } from "../target";
import type { Command } from ".";

export const chooseCall: Command = async ({ server }, uri) => {
  const wanted = await target(uri);
  if (wanted === undefined) {
    return;
  }
  const address = wanted.uri.toString();
  const known = await server.request<Examples | null>("fx/examples", { textDocument: { uri: address } });
  if (known === null || known.examples.length === 0) {
    const pending = known?.pending === true ? "Calls are still being looked for." : "No call runs through this file.";
    const add = 'The command "FX: Add Example" writes one above a class.';
    void vscode.window.showInformationMessage(`FX: ${pending} ${add}`);
    return;
  }
  const items = callItems(known.examples);
  const picked = await vscode.window.showQuickPick(items, {
    title: "FX: Choose Call",
    placeHolder: "Hints, lenses and the graph show the shapes of this call",
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (picked !== undefined && !(await server.execute("fx.chooseExample", address, picked.index))) {
    void vscode.window.showInformationMessage("FX: the calls changed meanwhile; choose again.");
  }
};
