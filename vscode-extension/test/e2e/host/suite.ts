/** Tests that run inside the extension host, next to the packaged extension. */

import assert from "node:assert/strict";

import * as vscode from "vscode";

const ID = "fx-lsp.fx-lsp";

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly configuration: { readonly properties: Readonly<Record<string, { readonly default: unknown }>> };
  };
}

const TESTS: Readonly<Record<string, () => Promise<void>>> = {
  "it is installed, and not active before a Python file is opened": async () => {
    assert.equal(extension().isActive, false);
    await Promise.resolve();
  },
  "a Python file activates it": async () => {
    const [file] = await vscode.workspace.findFiles("net.py");
    assert.ok(file);
    await vscode.window.showTextDocument(file);
    await extension().activate();
    assert.equal(extension().isActive, true);
  },
  "all commands of the manifest are registered": async () => {
    const registered = new Set(await vscode.commands.getCommands(true));
    const missing = manifest().contributes.commands.filter(({ command }) => !registered.has(command));
    assert.deepEqual(missing, []);
  },
  "settings have the defaults of the manifest": async () => {
    for (const [name, { default: expected }] of Object.entries(manifest().contributes.configuration.properties)) {
      assert.deepEqual(vscode.workspace.getConfiguration().inspect(name)?.defaultValue, expected, name);
    }
    await Promise.resolve();
  },
  "hints come, and an edit changes them": async () => {
    const document = await vscode.workspace.openTextDocument(await only("net.py"));
    const hints = await hintsOf(document, (labels) => labels.includes(": f32[3, 4]"));
    assert.deepEqual(hints, [": f32[3, 8]", ": f32[3, 4]", ": f32[3, 4]"]);
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, document.lineAt(16).range, "Net()(torch.zeros(9, 8))");
    await vscode.workspace.applyEdit(edit);
    await hintsOf(document, (labels) => labels.includes(": f32[9, 4]"));
  },
  "a lens has the command of the graph with file and class": async () => {
    const uri = await only("net.py");
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>("vscode.executeCodeLensProvider", uri);
    const commands = lenses.map(({ command }) => command);
    const graph = commands.find((command) => command?.command === "fx-lsp.showGraph");
    assert.deepEqual(graph?.arguments, [uri.toString(), "Net"]);
  },
};

/** Called by VS Code; rejects when a test failed. */
export async function run(): Promise<void> {
  const failed: string[] = [];
  for (const [name, test] of Object.entries(TESTS)) {
    try {
      await test();
      console.log(`✔ ${name}`);
    } catch (error) {
      failed.push(name);
      console.log(`✖ ${name}\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    }
  }
  if (failed.length > 0) {
    throw new Error(`${String(failed.length)} failed`);
  }
}

function extension(): vscode.Extension<unknown> {
  const found = vscode.extensions.getExtension(ID);
  assert.ok(found, `${ID} is not installed`);
  return found;
}

function manifest(): Manifest {
  return extension().packageJSON as Manifest;
}

async function only(name: string): Promise<vscode.Uri> {
  const [uri] = await vscode.workspace.findFiles(name);
  assert.ok(uri, name);
  return uri;
}

/** Labels of all hints, as soon as they are as wanted; asks again whenever the server says that there are others. */
async function hintsOf(
  document: vscode.TextDocument,
  wanted: (labels: readonly string[]) => boolean,
): Promise<readonly string[]> {
  const whole = new vscode.Range(0, 0, document.lineCount, 0);
  for (const end = Date.now() + 60_000; ;) {
    const hints = await vscode.commands.executeCommand<vscode.InlayHint[]>(
      "vscode.executeInlayHintProvider",
      document.uri,
      whole,
    );
    const labels = hints.map(({ label }) =>
      typeof label === "string" ? label : label.map(({ value }) => value).join(""),
    );
    if (wanted(labels)) {
      return labels;
    }
    assert.ok(Date.now() < end, `the last hints were ${labels.join(", ")}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
