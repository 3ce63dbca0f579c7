/** Looks for code that imports torch: in the documents that are open, then in the workspace's files. */

import * as vscode from "vscode";

import { importsTorch } from "./torch";

/** A look at some files, not at a whole disk. */
const MOST_FILES = 400;
const LEFT_OUT = "**/{.*,node_modules,site-packages,venv,env,build,dist}/**";
const HEAD_BYTES = 16 * 1024;
const SCHEMES = ["file", "vscode-notebook-cell"];

/** Call `found` once, as soon as a Python file that imports torch is open or is found in the workspace. */
export function whenTorchIsImported(found: () => void): vscode.Disposable {
  const cancel = new vscode.CancellationTokenSource();
  const subscriptions: vscode.Disposable[] = [];
  const end = new vscode.Disposable(() => {
    cancel.cancel();
    vscode.Disposable.from(cancel, ...subscriptions).dispose();
  });
  const hit = (): void => {
    if (!cancel.token.isCancellationRequested) {
      end.dispose();
      found();
    }
  };
  const look = (document: vscode.TextDocument): void => {
    if (document.languageId === "python" && SCHEMES.includes(document.uri.scheme) && importsTorch(document.getText())) {
      hit();
    }
  };
  subscriptions.push(
    vscode.workspace.onDidOpenTextDocument(look),
    vscode.workspace.onDidChangeTextDocument(({ document }) => look(document)),
  );
  const search = async (): Promise<void> => {
    if (await inWorkspace(cancel.token)) {
      hit();
    }
  };
  subscriptions.push(vscode.workspace.onDidChangeWorkspaceFolders(() => void search()));
  vscode.workspace.textDocuments.forEach(look);
  void search();
  return end;
}

async function inWorkspace(token: vscode.CancellationToken): Promise<boolean> {
  const files = await vscode.workspace.findFiles("**/*.py", LEFT_OUT, MOST_FILES, token);
  for (const file of files) {
    if (token.isCancellationRequested) {
      return false;
    }
    if (await headImportsTorch(file)) {
      return true;
    }
  }
  return false;
}

async function headImportsTorch(file: vscode.Uri): Promise<boolean> {
  try {
    const bytes = await vscode.workspace.fs.readFile(file);
    return importsTorch(new TextDecoder().decode(bytes.subarray(0, HEAD_BYTES)));
  } catch {
    return false; // deleted meanwhile, or not ours to read
  }
}
