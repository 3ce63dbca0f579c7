/** What the panel's page and the extension tell each other. */

import type { Place } from "../protocol";

/** What the panel shows, and what it asks for again after a restart of the editor. */
export interface Choice {
  readonly uri: string;
  /** Qualified name of the class; the one nearest to `line` when missing. */
  readonly name?: string | undefined;
  readonly line?: number | undefined;
  readonly level?: string | undefined;
  readonly example?: number | undefined;
}

/** What the editor keeps for the page: enough to come back as it was. */
export interface SavedState {
  readonly choice: Choice;
  /** Keys of open scopes. */
  readonly open: readonly string[];
  /** Keys of repeats that show all their members. */
  readonly unrolled: readonly string[];
  readonly heat: string;
}

/** Something that helps when there is no graph. */
export type Action = "addExample" | "doctor" | "log" | "trust" | "settings" | "restart" | "retry";

/** From the extension to the page. */
export type ToPage =
  /** `reply` is a `GraphReply` as JSON: a long text gets to the page much faster than many small objects. */
  | { readonly type: "graph"; readonly reply: string; readonly trusted: boolean }
  /** A graph is being made; what is shown till then is of the last result. */
  | { readonly type: "pending" }
  /** The source was edited after what is shown. */
  | { readonly type: "stale" }
  /** There is no answer. */
  | { readonly type: "error"; readonly message: string }
  /** The innermost expressions around the cursor, by their index in `PlacedDrawing.places`. */
  | { readonly type: "cursor"; readonly places: readonly number[] };

/** Formats that the server makes. */
export type ServerFormat = "dot" | "json" | "py";

/** From the page to the extension. */
export type ToHost =
  | { readonly type: "ready" }
  | { readonly type: "choose"; readonly choice: Choice }
  /** Select the expression in the editor; `focus`: and go there. */
  | { readonly type: "reveal"; readonly place: Place; readonly focus: boolean }
  | { readonly type: "export"; readonly format: ServerFormat }
  /** A picture that the page made: text, or base64 for `png`. */
  | { readonly type: "save"; readonly format: "svg" | "png"; readonly data: string }
  | { readonly type: "act"; readonly action: Action };
