/** Whether a server that ended unasked is worth another start. */

const MOST = 4;
const WITHIN_MS = 3 * 60 * 1000;

/** Remembers when it happened. */
export class Crashes {
  readonly #times: number[] = [];

  /** It happened again, at `now`: whether to start again, or to give up. */
  again(now: number): boolean {
    this.#times.push(now);
    return this.#times.filter((time) => now - time < WITHIN_MS).length < MOST;
  }

  /** The user wants another try. */
  forget(): void {
    this.#times.length = 0;
  }
}
