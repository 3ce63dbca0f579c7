/** Says how everything is set up and what is missing, also when there is no server to ask. */

import * as vscode from "vscode";

import { messageOf } from "../errors";
import type { DoctorReply } from "../protocol";
import { look } from "../state";
import type { Command, Context } from ".";

export const doctor: Command = async (context) => {
  const own = await ownPart(context);
  await context.report.show(`${own}\n${await serverPart(context)}`);
};

async function ownPart({ environment, server }: Context): Promise<string> {
  const { chosen, rejected } = await environment.server();
  const folders = vscode.workspace.workspaceFolders ?? [];
  const lines = [
    `VS Code: ${vscode.version}`,
    `Workspace: ${folders.length === 0 ? "no folder" : folders.map((folder) => folder.uri.fsPath).join(", ")}`,
    `Workspace trusted: ${vscode.workspace.isTrusted ? "yes" : "no; nothing of it is run"}`,
    `Python of the server: ${chosen === undefined ? "none found" : `${chosen.path} (${chosen.why})`}`,
    ...rejected.map((reason) => `Not for the server: ${reason}`),
    `State: ${look(server.state).sentence}`,
  ];
  return ["# FX Doctor", "", "## Extension", "", ...lines.map((line) => `- ${line}`), ""].join("\n");
}

async function serverPart({ server }: Context): Promise<string> {
  if (server.state.state === "error" && !server.running) {
    return "## Server\n\nIt does not run.\n";
  }
  try {
    return (await server.request<DoctorReply>("fx/doctor", {})).text;
  } catch (error) {
    return `## Server\n\nIt does not answer: ${messageOf(error)}\n`;
  }
}
