/** Opens the graph as Python: of the class that is named, else of the one around the cursor. */

import * as vscode from "vscode";

import { codeUri } from "../documents/codeAddress";
import type { CodeReply, GraphParams } from "../protocol";
import { target } from "../target";
import { asLine } from "../text";
import type { Command } from ".";

export const showGeneratedCode: Command = async ({ server }, uri, name, level) => {
  const wanted = await target(uri);
  if (wanted === undefined) {
    return;
  }
  const params: GraphParams = {
    textDocument: { uri: wanted.uri.toString() },
    name: typeof name === "string" ? name : undefined,
    line: wanted.line,
    level: typeof level === "string" ? level : undefined,
  };
  const reply = await server.request<CodeReply>("fx/code", params);
  if (reply.name === "") {
    void vscode.window.showInformationMessage(`FX: ${asLine(reply.message)}`);
    return;
  }
  const { textDocument } = params;
  const address = codeUri({ textDocument, name: reply.name, level: reply.level }, reply.name);
  const document = await vscode.workspace.openTextDocument(address);
  await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: false });
};
