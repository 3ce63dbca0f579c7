/** The commands, one file each. */

import * as vscode from "vscode";

import type { Choices } from "../choices";
import type { Report } from "../documents/report";
import type { Rewrites } from "../documents/rewrites";
import type { Environment } from "../environment";
import { messageOf } from "../errors";
import type { GraphPanels } from "../panel/graphPanel";
import type { Server } from "../server";
import { asLine } from "../text";
import { addExample } from "./addExample";
import { annotateForward } from "./annotateForward";
import { applyGraphRewrite } from "./applyGraphRewrite";
import { chooseCall } from "./chooseCall";
import { doctor } from "./doctor";
import { restart } from "./restart";
import { showGeneratedCode } from "./showGeneratedCode";
import { showGraph } from "./showGraph";
import { showLog } from "./showLog";
import { showMenu } from "./showMenu";

/** What commands work with. */
export interface Context {
  readonly server: Server;
  readonly environment: Environment;
  readonly panels: GraphPanels;
  readonly report: Report;
  readonly rewrites: Rewrites;
  readonly choices: Choices;
  readonly log: vscode.LogOutputChannel;
}

/** A command of `package.json`; it gets what a lens, a menu or another extension gives it. */
export type Command = (context: Context, ...given: unknown[]) => Promise<void> | void;

const COMMANDS: Readonly<Record<string, Command>> = {
  addExample,
  annotateForward,
  applyGraphRewrite,
  chooseCall,
  doctor,
  restart,
  showGeneratedCode,
  showGraph,
  showLog,
  showMenu,
};

export function registerCommands(context: Context): vscode.Disposable[] {
  return Object.entries(COMMANDS).map(([name, command]) =>
    vscode.commands.registerCommand(`fx-lsp.${name}`, async (...given: unknown[]) => {
      try {
        await command(context, ...given);
      } catch (error) {
        context.log.error(`${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
        void vscode.window.showErrorMessage(`FX: ${asLine(messageOf(error))}`);
      }
    }),
  );
}
