/** The entry of the status bar, and the message for a server that cannot go on. */

import * as vscode from "vscode";

import { openMachineSetting } from "./openSetting";
import type { Server } from "./server";
import { look, type Look, type State } from "./state";
import { asLine } from "./text";

const COLOURS: Record<Look["severity"], string | undefined> = {
  normal: undefined,
  warning: "statusBarItem.warningBackground",
  error: "statusBarItem.errorBackground",
};

const CHOOSE = "Choose Interpreter";
const LOG = "Show Log";
const RESTART = "Restart";

/** Shows the server's state for as long as it lives. */
export class StatusItem implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem("fx-lsp.status", vscode.StatusBarAlignment.Right, 100);
  readonly #subscriptions: vscode.Disposable[] = [this.#item];

  constructor(server: Server) {
    this.#item.name = "FX";
    this.#item.command = "fx-lsp.showMenu";
    this.#show(server.state);
    this.#subscriptions.push(
      server.onDidChangeState((state) => {
        this.#show(state);
        if (!server.running && state.state === "error") {
          void complain(state.message);
        }
      }),
    );
  }

  dispose(): void {
    vscode.Disposable.from(...this.#subscriptions).dispose();
  }

  #show(state: State): void {
    if (state.state === "waiting") {
      this.#item.hide(); // most Python workspaces have nothing to do with PyTorch
      return;
    }
    const { text, sentence, tooltip, severity } = look(state);
    const colour = COLOURS[severity];
    this.#item.text = text;
    this.#item.accessibilityInformation = { label: sentence };
    this.#item.tooltip = new vscode.MarkdownString(tooltip);
    this.#item.backgroundColor = colour === undefined ? undefined : new vscode.ThemeColor(colour);
    this.#item.show();
  }
}

async function complain(message: string): Promise<void> {
  const chosen = await vscode.window.showErrorMessage(asLine(message), CHOOSE, LOG, RESTART);
  if (chosen === CHOOSE) {
    await openMachineSetting("fx-lsp.serverInterpreter");
  } else if (chosen === LOG) {
    await vscode.commands.executeCommand("fx-lsp.showLog");
  } else if (chosen === RESTART) {
    await vscode.commands.executeCommand("fx-lsp.restart");
  }
}
