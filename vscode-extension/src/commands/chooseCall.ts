/** Lets the user choose the call whose shapes are shown first: among all that ran through a file, and where a line ran
 * several times in one. */

import * as vscode from "vscode";

import { entries } from "../calls";
import type { ExamplesParams, ExamplesReply } from "../protocol";
import { target } from "../target";
import type { Command } from ".";

export const chooseCall: Command = async ({ server, choices }, uri, at) => {
  const wanted = await target(uri);
  if (wanted === undefined) {
    return;
  }
  const address = wanted.uri.toString();
  const line = typeof at === "number" ? at : (wanted.line ?? 0);
  const params: ExamplesParams = { textDocument: { uri: address }, line };
  const ask = (): Promise<ExamplesReply | null> => server.request<ExamplesReply | null>("fx/examples", params);
  const known = await ask();
  if (known === null || known.examples.length === 0) {
    const pending = known?.pending === true ? "Calls are still being looked for." : "No call runs through this file.";
    const add = 'The command "FX: Add Example" writes one above a class.';
    void vscode.window.showInformationMessage(`FX: ${pending} ${add}`);
    return;
  }
  const items = entries(known).map((entry) =>
    "title" in entry ? { label: entry.title, kind: vscode.QuickPickItemKind.Separator } : entry,
  );
  const picked = await vscode.window.showQuickPick(items, {
    title: "FX: Choose Call",
    placeHolder: "Hints, lenses and the graph show the shapes of this call",
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (picked === undefined || !("command" in picked)) {
    return;
  }
  const place = picked.command === "fx.chooseCall" ? [line] : [];
  if (!(await server.execute(picked.command, address, ...place, picked.index))) {
    void vscode.window.showInformationMessage("FX: the calls changed meanwhile; choose again.");
    return;
  }
  await choices.keep(address, (await ask())?.chosen);
};
