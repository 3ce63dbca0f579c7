/** Generated code as a read-only document: each line leads to the line of the source that it comes from. */

import * as vscode from "vscode";

import { isModified, messageOf } from "../errors";
import { Reveal } from "../panel/reveal";
import type { CodeLink, CodeReply, Place } from "../protocol";
import type { Requests } from "../server";
import { paramsOf, SCHEME } from "./codeAddress";
import { asComment, linkSpan, shownOf, type Shown } from "./shown";

/** Called by the links: a link to a file would open it in place of the generated code. */
const SHOW_SOURCE = "fx-lsp.showSource";

/** Feeds the documents of {@link SCHEME}, and keeps them as new as the source. */
export class GeneratedCode
  implements vscode.TextDocumentContentProvider, vscode.DocumentLinkProvider, vscode.DefinitionProvider
{
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #shown = new Map<string, Shown>();

  readonly onDidChange = this.#changed.event;

  constructor(private readonly server: Requests) {}

  /** Everything that has to be disposed of. */
  register(): vscode.Disposable {
    const selector = { scheme: SCHEME };
    const source = new Reveal(() => vscode.window.activeTextEditor?.viewColumn);
    const renew = (): void => {
      const open = vscode.workspace.textDocuments.filter((document) => document.uri.scheme === SCHEME);
      open.forEach((document) => this.#changed.fire(document.uri));
    };
    return vscode.Disposable.from(
      this.#changed,
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.languages.registerDocumentLinkProvider(selector, this),
      vscode.languages.registerDefinitionProvider(selector, this),
      vscode.commands.registerCommand(SHOW_SOURCE, (place: Place) => source.show(place, true)),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#shown.delete(uri.toString())),
      this.server.onIdle(renew),
      this.server.onRestart(renew),
    );
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const key = uri.toString();
    const params = paramsOf(uri);
    try {
      // The server answers for open documents only, and a window that is restored may have none of the source.
      await vscode.workspace.openTextDocument(vscode.Uri.parse(params.textDocument.uri));
      this.#shown.set(key, shownOf(await this.server.request<CodeReply>("fx/code", params)));
    } catch (error) {
      if (!isModified(error)) {
        this.#shown.set(key, { text: asComment(messageOf(error)), links: [] });
      } // else the next idle brings it, and what was there stays until then
    }
    return this.#shown.get(key)?.text ?? "";
  }

  provideDocumentLinks(document: vscode.TextDocument): vscode.DocumentLink[] {
    return this.#links(document).flatMap(({ line, place }) => {
      const span = linkSpan(document.lineAt(line).text);
      if (span === undefined) {
        return [];
      }
      const link = new vscode.DocumentLink(new vscode.Range(line, span[0], line, span[1]), showSource(place));
      link.tooltip = "Show the source";
      return [link];
    });
  }

  /** Not in a line with a link: a click on that would do both. */
  provideDefinition(document: vscode.TextDocument, position: vscode.Position): vscode.Location | undefined {
    const found = this.#links(document).find(({ line }) => line === position.line);
    if (found === undefined || linkSpan(document.lineAt(found.line).text) !== undefined) {
      return undefined;
    }
    return new vscode.Location(vscode.Uri.parse(found.place.uri), rangeOf(found.place));
  }

  #links(document: vscode.TextDocument): CodeLink[] {
    const links = this.#shown.get(document.uri.toString())?.links ?? [];
    return links.filter(({ line }) => line < document.lineCount); // the text may be older
  }
}

function showSource(place: Place): vscode.Uri {
  return vscode.Uri.parse(`command:${SHOW_SOURCE}?${encodeURIComponent(JSON.stringify([place]))}`);
}

function rangeOf({ range: { start, end } }: Place): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}
