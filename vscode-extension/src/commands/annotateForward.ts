/** Writes the shapes that were seen into the signature around the cursor, as annotations of jaxtyping. */

import * as vscode from "vscode";

import { target } from "../target";
import type { Command } from ".";

export const annotateForward: Command = async ({ server }) => {
  const wanted = await target(undefined);
  if (wanted === undefined) {
    return;
  }
  if (!(await server.execute("fx.annotate", wanted.uri.toString(), wanted.line ?? 0))) {
    void vscode.window.showInformationMessage("FX: nothing of this signature can be annotated; has it run?");
  }
};
