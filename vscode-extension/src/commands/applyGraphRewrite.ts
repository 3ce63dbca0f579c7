/** Rewrites the graph of a class: of the one that is named, else of the one around the cursor. */

import * as vscode from "vscode";

import { rewrittenName } from "../panel/fileName";
import { Reveal } from "../panel/reveal";
import type { RewriteGraphParams, RewriteGraphReply } from "../protocol";
import { target } from "../target";
import { asLine } from "../text";
import type { Command } from ".";

export const applyGraphRewrite: Command = async ({ server, rewrites }, uri, name, rule) => {
  const wanted = await target(uri);
  if (wanted === undefined) {
    return;
  }
  const params: RewriteGraphParams = {
    textDocument: { uri: wanted.uri.toString() },
    name: typeof name === "string" ? name : undefined,
    line: wanted.line,
    rule: typeof rule === "string" ? rule : undefined,
  };
  const progress = { location: vscode.ProgressLocation.Notification, title: "FX: rewriting the graph, and comparing" };
  const reply = await vscode.window.withProgress(progress, () =>
    server.request<RewriteGraphReply>("fx/rewriteGraph", params),
  );
  if (reply.state === "graph") {
    await rewrites.show(reply);
    await offer(reply);
  } else {
    await tell(reply);
  }
};

/** Save what was made; its graph can be seen then, as that of any file. */
async function offer({ uri, name, says, after }: RewriteGraphReply): Promise<void> {
  const save = "Save…";
  if ((await vscode.window.showInformationMessage(`FX: ${asLine(says)}`, save)) !== save) {
    return;
  }
  const beside = vscode.Uri.joinPath(vscode.Uri.parse(uri), "..", rewrittenName(name));
  const chosen = await vscode.window.showSaveDialog({
    defaultUri: beside,
    filters: { Python: ["py"] },
    title: "Save Rewritten Graph",
  });
  if (chosen === undefined) {
    return;
  }
  await vscode.workspace.fs.writeFile(chosen, new TextEncoder().encode(after));
  await vscode.window.showTextDocument(chosen, { preview: false });
  const graph = "Show FX Graph";
  const saved = `Saved ${asLine(vscode.workspace.asRelativePath(chosen))}`;
  if ((await vscode.window.showInformationMessage(saved, graph)) === graph) {
    await vscode.commands.executeCommand("fx-lsp.showGraph", chosen.toString());
  }
}

/** Why there is none, and where. */
async function tell({ message, place }: RewriteGraphReply): Promise<void> {
  const show = "Show";
  const buttons = place === null ? [] : [show];
  const answer = await vscode.window.showInformationMessage(`FX: ${asLine(message)}`, ...buttons);
  if (answer === show && place !== null) {
    await new Reveal(() => vscode.ViewColumn.Active).show(place, true);
  }
}
