/** The calls of a file as entries of a list. */

import { asLine } from "./text";

/** What is needed of the answer to `fx/examples`. */
export interface Examples {
  readonly pending: boolean;
  readonly examples: readonly ExampleRun[];
}

/** A call that was run. */
export interface ExampleRun {
  readonly call: string;
  readonly origin: string;
  readonly engine: string;
  readonly status: string;
  readonly reason: string | null;
  /** Its shapes are the ones that are shown first. */
  readonly shown: boolean;
}

/** An entry; its place in the server's list goes with it. */
export interface CallItem {
  readonly label: string;
  readonly description: string;
  readonly detail?: string;
  readonly index: number;
}

/** In the server's order, with a mark at the one that is shown now. */
export function callItems(examples: readonly ExampleRun[]): CallItem[] {
  return examples.map((example, index) => ({
    label: `${example.shown ? "$(check) " : ""}${asLine(example.call)}`,
    description: [`from ${example.origin}`, engine(example.engine), example.status].filter(Boolean).join(" · "),
    ...(example.reason === null ? {} : { detail: asLine(example.reason) }),
    index,
  }));
}

function engine(id: string): string {
  return id === "" ? "" : `${id} tensors`;
}
