/** Addresses of generated code: what it was made of is in the address, so that a window can open it again. */

import * as vscode from "vscode";

import type { GraphParams } from "../protocol";

export const SCHEME = "fx-lsp-code";

/** The name is what the tab shows. */
export function codeUri(params: GraphParams, name: string): vscode.Uri {
  const title = params.level == null ? name : `${name} (${params.level})`;
  return vscode.Uri.from({ scheme: SCHEME, path: `/${title}.py`, query: JSON.stringify(params) });
}

/** What to ask the server for. */
export function paramsOf(uri: vscode.Uri): GraphParams {
  return JSON.parse(uri.query) as GraphParams;
}

/** The file that the code was generated from; undefined for every other address. */
export function sourceOf(uri: vscode.Uri): vscode.Uri | undefined {
  return uri.scheme === SCHEME ? vscode.Uri.parse(paramsOf(uri).textDocument.uri, true) : undefined;
}
