/** One panel: its page, the session behind it and the editors beside it. */

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";

import { messageOf } from "../errors";
import type { Place } from "../protocol";
import type { Requests } from "../server";
import { asLine } from "../text";
import { ACTIONS } from "./actions";
import { pageHtml } from "./html";
import type { Choice, ServerFormat, ToHost } from "./messages";
import { Reveal } from "./reveal";
import { save } from "./save";
import { Session } from "./session";

/** Of the webviews, for the serializer. */
export const VIEW_TYPE = "fx-lsp.graph";

/** Lives as long as its webview. */
export class Panel implements vscode.Disposable {
  readonly #session: Session;
  readonly #reveal: Reveal;
  readonly #subscriptions: vscode.Disposable[] = [];

  constructor(
    private readonly webview: vscode.WebviewPanel,
    choice: Choice,
    extensionUri: vscode.Uri,
    server: Requests,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.#session = new Session(
      choice,
      async (method, params) => {
        await vscode.workspace.openTextDocument(vscode.Uri.parse(choice.uri)); // the server answers for open documents
        return server.request(method, params);
      },
      (message) => {
        this.webview.title = titleOf(this.#session.choice);
        void this.webview.webview.postMessage(message);
      },
      () => vscode.workspace.isTrusted,
      (uri) => vscode.Uri.parse(uri).toString(),
    );
    this.#reveal = new Reveal(() => this.webview.viewColumn);
    webview.title = titleOf(choice);
    webview.iconPath = vscode.Uri.joinPath(extensionUri, "media", "icon.png");
    this.#load(vscode.Uri.joinPath(extensionUri, "dist"));
    this.#subscriptions.push(
      webview.webview.onDidReceiveMessage((message: ToHost) => this.#receive(message)),
      server.onIdle(() => this.#session.refresh()),
      server.onRestart(() => this.#session.refresh()),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.#session.refresh()),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0) {
          this.#session.edited(document.uri.toString());
        }
      }),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor, selections }) => {
        const [selection] = selections;
        if (selection !== undefined && !this.#reveal.caused(textEditor.document.uri, selection)) {
          this.#session.moved(textEditor.document.uri.toString(), selection.active);
        }
      }),
    );
  }

  get uri(): string {
    return this.#session.choice.uri;
  }

  get column(): vscode.ViewColumn | undefined {
    return this.webview.viewColumn;
  }

  get name(): string | undefined {
    return this.#session.choice.name;
  }

  /** Bring it to the front. */
  reveal(): void {
    this.webview.reveal(undefined, false);
  }

  dispose(): void {
    vscode.Disposable.from(...this.#subscriptions).dispose();
    this.webview.dispose();
  }

  #load(dist: vscode.Uri): void {
    const { webview } = this.webview;
    webview.options = { enableScripts: true, localResourceRoots: [dist] };
    const address = (file: string): string => webview.asWebviewUri(vscode.Uri.joinPath(dist, file)).toString();
    webview.html = pageHtml({
      cspSource: webview.cspSource,
      nonce: randomBytes(16).toString("hex"),
      script: address("webview.js"),
      style: address("webview.css"),
      worker: address("layout.worker.js"),
    });
  }

  async #receive(message: ToHost): Promise<void> {
    try {
      await this.#answer(message);
    } catch (error) {
      this.log.error(`The graph panel, ${message.type}: ${String(error)}`);
      void vscode.window.showErrorMessage(`FX: ${asLine(messageOf(error))}`);
    }
  }

  #answer(message: ToHost): Thenable<unknown> {
    const session = this.#session;
    switch (message.type) {
      case "ready":
        return session.choose(session.choice);
      case "choose":
        return session.choose({ ...message.choice, uri: session.choice.uri });
      case "reveal":
        return this.#show(message.place, message.focus);
      case "export":
        return this.#export(message.format);
      case "save":
        return save(session.choice, message.format, bytesOf(message.format, message.data));
      case "act":
        return ACTIONS[message.action](session);
    }
  }

  #show(place: Place, focus: boolean): Promise<void> {
    return this.#reveal.show(place, focus);
  }

  async #export(format: ServerFormat): Promise<void> {
    const { message, text } = await this.#session.exported(format);
    if (text === "") {
      throw new Error(message || "There is nothing to export.");
    }
    await save(this.#session.choice, format, Buffer.from(text));
  }
}

function bytesOf(format: "svg" | "png", data: string): Uint8Array {
  return Buffer.from(data, format === "png" ? "base64" : "utf8");
}

function titleOf(choice: Choice): string {
  return choice.name === undefined ? "FX graph" : `${choice.name} – FX graph`;
}
