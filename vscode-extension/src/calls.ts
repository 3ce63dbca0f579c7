/** The calls of a file as entries of a list. */

import type { ExampleRun, ExamplesReply } from "./protocol";
import { asLine } from "./text";

/** What is needed of a call that was run. */
type Run = Pick<ExampleRun, "call" | "origin" | "engine" | "status" | "reason" | "shown">;

/** What is needed of the answer to `fx/examples`. */
interface Examples extends Pick<ExamplesReply, "calls"> {
  readonly examples: readonly Run[];
}

/** An entry; its place in the server's list goes with it. */
export interface CallItem {
  readonly label: string;
  readonly description: string;
  readonly detail?: string;
  readonly index: number;
  readonly command: "fx.chooseExample" | "fx.chooseCall";
}

/** The title of the entries below it. */
export interface Heading {
  readonly title: string;
}

/** Everything there is to choose from; with headings where there is more than examples. */
export function entries({ examples, calls }: Examples): (CallItem | Heading)[] {
  const found: (CallItem | Heading)[] = callItems(examples);
  if (calls.length > 0) {
    found.unshift({ title: "Examples" });
  }
  calls.forEach((call, index) => {
    if (call.of !== calls[index - 1]?.of) {
      found.push({ title: `Calls: ${asLine(call.of)}` });
    }
    const description = call.modules.filter(Boolean).join(", ");
    found.push({ label: marked(call.label, call.shown), description, index, command: "fx.chooseCall" });
  });
  return found;
}

/** In the server's order, with a mark at the one that is shown now. */
export function callItems(examples: readonly Run[]): CallItem[] {
  return examples.map((example, index) => ({
    label: marked(example.call, example.shown),
    description: [`from ${example.origin}`, engine(example.engine), example.status].filter(Boolean).join(" · "),
    ...(example.reason === null ? {} : { detail: asLine(example.reason) }),
    index,
    command: "fx.chooseExample",
  }));
}

function marked(text: string, shown: boolean): string {
  return `${shown ? "$(check) " : ""}${asLine(text)}`;
}

function engine(id: string): string {
  return id === "" ? "" : `${id} tensors`;
}
