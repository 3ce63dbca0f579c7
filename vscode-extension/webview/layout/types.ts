/** What goes to the layout worker and what comes back. */

import type { Container } from "../model/content";

/** Numbers of an edge in {@link LayoutGraph.edges}. */
export const EDGE = { source: 0, target: 1, value: 2, exit: 3, entry: 4, size: 5 } as const;

/** A drawing as the layout needs it: sizes instead of texts. */
export interface LayoutGraph {
  readonly scopes: readonly Container[];
  /** Of all scopes, one after the other: see {@link EDGE}. */
  readonly edges: Int32Array;
  /** Where the edges of each scope start; one more than there are scopes. */
  readonly starts: Int32Array;
  /** Width and height of each node. */
  readonly nodes: Float32Array;
  /** Width and height of each scope when it is closed. */
  readonly closed: Float32Array;
  /** Width of the title of each scope when it is open. */
  readonly titles: Float32Array;
  /** Width of the label of each value. */
  readonly labels: Float32Array;
}

/** The inside of an open box, seen from its upper left corner. Equal boxes share one. */
export interface Block {
  readonly id: number;
  readonly width: number;
  readonly height: number;
  /** x, y, width and height of each child. */
  readonly boxes: Float32Array;
  /** x and y of the points of all lines. */
  readonly points: Float32Array;
  /** Where the points of each line start; one more than there are lines. */
  readonly starts: Uint32Array;
  /** The edge that each line is drawn for, by its number in the scope. */
  readonly edges: Int32Array;
  /** How many more edges share the line. */
  readonly more: Uint16Array;
  /** x and y of the middle of each line's label; NaN where there is none. */
  readonly labels: Float32Array;
  /** x of each entry and of each exit of the scope; NaN where none is drawn. */
  readonly entries: Float32Array;
  readonly exits: Float32Array;
}

/** To the worker. */
export type Order =
  | { readonly type: "graph"; readonly graph: LayoutGraph }
  | { readonly type: "arrange"; readonly turn: number; readonly states: Uint8Array };

/** From the worker. */
export type Arranged =
  | {
      readonly type: "arranged";
      readonly turn: number;
      /** Those that were not sent before. */
      readonly blocks: readonly Block[];
      /** Of each scope the `id` of its block; -1 when it is closed or hidden. */
      readonly blockOf: Int32Array;
    }
  | { readonly type: "failed"; readonly turn: number; readonly message: string };
