/** What an engine makes of a plan: where everything is, but not yet where lines meet boxes. */

/** The upper left corner is wherever it is; `finish` moves it. */
export interface Placed {
  /** Middle of each part. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** x of each entry and exit. */
  readonly entries: Float64Array;
  readonly exits: Float64Array;
  /** Where the entries and the exits stand. */
  readonly top: number;
  readonly bottom: number;
  /** Points that each line goes through on its way, x and y in turn. */
  readonly ways: readonly (readonly number[])[];
  /** Middle of each line's label. */
  readonly labels: readonly (readonly [number, number] | undefined)[];
}
