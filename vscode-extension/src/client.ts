/** The language client: one for each run of the server. */

import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  RevealOutputChannelOn,
  type LanguageClientOptions,
  type StaticFeature,
} from "vscode-languageclient/node";

import type { ServerProcess } from "./process";

const NAME = "FX";
const SECTION = "fx-lsp";

/** Commands of this extension that the server may put into code lenses. */
const LENS_COMMANDS = ["fx-lsp.showGraph", "fx-lsp.chooseCall"];

/** What the owner of a client is told and asked. */
export interface Owner {
  /** The settings that the server is to have now, for everything or for a folder. */
  settings(folder?: vscode.Uri): Promise<Record<string, unknown>>;
  /** What the user chose to see first in earlier sessions, by file. */
  chosen(): Record<string, unknown>;
  /** The server went away without having been asked to. */
  closed(): void;
}

/** A client that leaves it to its owner to tell the user of a server that cannot be reached. */
export class Client extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** A client of a server that runs; it still has to be started. */
export async function makeClient(process: ServerProcess, owner: Owner, log: vscode.LogOutputChannel): Promise<Client> {
  const options: LanguageClientOptions = {
    documentSelector: [
      { scheme: "file", language: "python" },
      { scheme: "vscode-notebook-cell", language: "python" },
      { scheme: "file", pattern: "**/pyproject.toml" },
    ],
    outputChannel: log,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    // Trust is no setting: a workspace could bring one along.
    initializationOptions: {
      ...(await owner.settings()),
      trusted: vscode.workspace.isTrusted,
      chosen: owner.chosen(),
    },
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => {
        owner.closed();
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    },
    middleware: {
      workspace: {
        configuration: ({ items }) =>
          Promise.all(
            items.map(async ({ section, scopeUri }) => {
              const folder = scopeUri == null ? undefined : vscode.Uri.parse(scopeUri);
              return section === SECTION ? owner.settings(folder) : null;
            }),
          ),
      },
    },
  };
  const client = new Client("fx-lsp", NAME, () => Promise.resolve(process.child), options);
  client.registerFeature(lensCommands());
  return client;
}

function lensCommands(): StaticFeature {
  return {
    fillClientCapabilities: (capabilities) => {
      capabilities.experimental = { ...(capabilities.experimental as object), fxLsp: { commands: LENS_COMMANDS } };
    },
    initialize: () => undefined,
    getState: () => ({ kind: "static" }),
    clear: () => undefined,
  };
}
