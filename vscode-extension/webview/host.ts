/** The way to the extension; or to the page around, where there is no editor. */

import type { SavedState, ToHost, ToPage } from "../src/panel/messages";

/** What an editor gives to its webviews. */
interface VsCodeApi {
  postMessage(message: ToHost): void;
  getState(): SavedState | undefined;
  setState(state: SavedState): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

/** Sends, receives and remembers. */
export class Host {
  readonly #api: VsCodeApi | undefined = typeof acquireVsCodeApi === "function" ? acquireVsCodeApi() : undefined;

  /** What was kept of an earlier life of the page. */
  get saved(): SavedState | undefined {
    return this.#api?.getState();
  }

  save(state: SavedState): void {
    this.#api?.setState(state);
  }

  post(message: ToHost): void {
    if (this.#api === undefined) {
      window.dispatchEvent(new CustomEvent("fx-lsp", { detail: message }));
    } else {
      this.#api.postMessage(message);
    }
  }

  listen(receive: (message: ToPage) => void): void {
    window.addEventListener("message", ({ data }: MessageEvent<ToPage>) => receive(data));
  }
}
