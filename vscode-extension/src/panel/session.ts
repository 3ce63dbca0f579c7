/** What a panel shows, and when it asks for it again. */

import { isModified, messageOf } from "../errors";
import type { ExportParams, ExportReply, GraphParams, GraphReply, Position } from "../protocol";
import type { Choice, ServerFormat, ToPage } from "./messages";
import { placesAt } from "./places";

/** The one thing needed of the server. */
export type Request = <R>(method: string, params: object) => Promise<R>;

/** Asks for the graph of one choice; whatever is asked for last is what counts. */
export class Session {
  #choice: Choice;
  #reply: GraphReply | undefined;
  /** What the page got, to send nothing twice. */
  #sent = "";
  #asked = 0;
  #cursor = "";
  /** Addresses as the editor writes them, by those of the server. */
  readonly #uris = new Map<string, string>();

  constructor(
    choice: Choice,
    private readonly request: Request,
    private readonly send: (message: ToPage) => void,
    private readonly trusted: () => boolean,
    private readonly canonical: (uri: string) => string,
  ) {
    this.#choice = choice;
  }

  get choice(): Choice {
    return this.#choice;
  }

  /** The last answer. */
  get reply(): GraphReply | undefined {
    return this.#reply;
  }

  /** The page is new, or wants something else: it gets an answer whatever it has. */
  async choose(choice: Choice): Promise<void> {
    this.#choice = choice;
    this.#sent = "";
    this.send({ type: "pending" });
    await this.refresh();
  }

  /** Ask again; the page hears of it only when the answer is another one. */
  async refresh(): Promise<void> {
    this.#asked += 1;
    const turn = this.#asked;
    try {
      const reply = await this.request<GraphReply>("fx/graph", this.#params());
      if (turn === this.#asked) {
        this.#show(reply);
      }
    } catch (error) {
      if (turn === this.#asked) {
        this.#fail(error);
      }
    }
  }

  /** A file was edited: what is shown may be of the past. */
  edited(uri: string): void {
    const drawing = this.#reply?.drawing;
    if (uri === this.#choice.uri || drawing?.places.some((place) => this.#isSame(place.uri, uri)) === true) {
      this.#sent = "";
      this.send({ type: "stale" });
    }
  }

  /** The cursor is somewhere else. */
  moved(uri: string, cursor: Position): void {
    const places = placesAt(this.#reply?.drawing?.places ?? [], (other) => this.#isSame(other, uri), cursor);
    const key = places.join();
    if (key !== this.#cursor) {
      this.#cursor = key;
      this.send({ type: "cursor", places });
    }
  }

  /** The graph as text. */
  async exported(format: ServerFormat): Promise<ExportReply> {
    const params: ExportParams = { ...this.#params(), format };
    return this.request<ExportReply>("fx/export", params);
  }

  /** The server may write an address in another way than the editor. */
  #isSame(uri: string, ofEditor: string): boolean {
    let known = this.#uris.get(uri);
    if (known === undefined) {
      known = this.canonical(uri);
      this.#uris.set(uri, known);
    }
    return known === ofEditor;
  }

  #params(): GraphParams {
    const { uri, name, line, level, example } = this.#choice;
    return { textDocument: { uri }, name, line: name === undefined ? line : undefined, level, example };
  }

  #show(reply: GraphReply): void {
    this.#reply = reply;
    const { uri, name, level, example } = this.#choice;
    this.#choice = { uri, name: reply.name || name, level: reply.level || level, example };
    const message: ToPage = { type: "graph", reply: JSON.stringify(reply), trusted: this.trusted() };
    const key = `${String(message.trusted)} ${message.reply}`;
    if (key !== this.#sent) {
      this.#sent = key;
      this.#cursor = "";
      this.send(message);
    }
  }

  #fail(error: unknown): void {
    if (isModified(error)) {
      return; // the next idle brings it
    }
    this.#sent = "";
    this.send({ type: "error", message: messageOf(error) });
  }
}
