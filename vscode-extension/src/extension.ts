/** Puts the parts together; each of them is in a file of its own. */

import * as vscode from "vscode";

import { Choices } from "./choices";
import { registerCommands } from "./commands";
import { GeneratedCode } from "./documents/code";
import { Report } from "./documents/report";
import { Rewrites } from "./documents/rewrites";
import { Environment } from "./environment";
import { GraphPanels } from "./panel/graphPanel";
import { Server } from "./server";
import { StatusItem } from "./statusItem";
import { whenTorchIsImported } from "./torchFiles";

let server: Server | undefined;

/** Called by VS Code when a Python file is opened or a command of ours is called. */
export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("FX", { log: true });
  const environment = new Environment(context.extensionUri, log);
  const choices = new Choices(context.workspaceState);
  const started = new Server(environment, choices, log);
  server = started;
  const panels = new GraphPanels(context.extensionUri, started, log);
  const report = new Report();
  const rewrites = new Rewrites();
  const told = (what: string, news: Promise<void>): void => {
    news.catch((error: unknown) => log.error(`${what} did not reach the server: ${String(error)}`));
  };
  const refresh = (): void => told("Changed settings", started.refresh());
  context.subscriptions.push(
    log,
    environment,
    started,
    new StatusItem(started),
    panels,
    vscode.window.registerWebviewPanelSerializer("fx-lsp.graph", panels.serializer),
    report.register(),
    rewrites.register(),
    new GeneratedCode(started).register(),
    ...registerCommands({ server: started, environment, panels, report, rewrites, choices, log }),
    started.onDidChangeState(({ state }) => {
      void vscode.commands.executeCommand("setContext", "fx-lsp.active", state !== "waiting");
    }),
    environment.onDidChange(refresh),
    vscode.workspace.onDidGrantWorkspaceTrust(() => told("The trust in the workspace", started.trust())),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("fx-lsp.serverInterpreter")) {
        refresh();
      }
    }),
    whenTorchIsImported(() => void started.start()),
  );
}

/** VS Code waits for it: no process is left behind. */
export async function deactivate(): Promise<void> {
  await server?.stop();
}
