/** Writes an example above the class around the cursor, to be filled in. */

import * as vscode from "vscode";

import { target } from "../target";
import type { Command } from ".";

export const addExample: Command = async ({ server }) => {
  const wanted = await target(undefined);
  if (wanted === undefined) {
    return;
  }
  if (!(await server.execute("fx.addExample", wanted.uri.toString(), wanted.line ?? 0))) {
    void vscode.window.showInformationMessage("FX: put the cursor into a class that is an nn.Module.");
  }
};
