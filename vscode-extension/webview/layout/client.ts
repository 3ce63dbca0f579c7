/** Has drawings laid out in the worker; where none can be started, here. */

import { Layouter } from "./layouter";
import type { Arranged, Block, LayoutGraph, Order } from "./types";

/** Of each scope its block; undefined when it is closed or hidden. */
export type Arrangement = readonly (Block | undefined)[];

/** One order at a time goes to the worker; while it is at work, only the last wish is kept. */
export class LayoutClient {
  readonly #worker: Promise<Worker | undefined>;
  readonly #blocks = new Map<number, Block>();
  #here: Layouter | undefined;
  #graph: LayoutGraph | undefined;
  #turn = 0;
  #busy = false;
  #wish: Uint8Array | undefined;

  constructor(
    source: string,
    private readonly done: (arrangement: Arrangement) => void,
    private readonly failed: (message: string) => void,
    private readonly withoutWorker: (reason: string) => void,
  ) {
    this.#worker = this.#start(source);
  }

  /** Lay out another drawing from now on. */
  use(graph: LayoutGraph): void {
    this.#graph = graph;
    this.#turn += 1; // what is on its way is of another drawing
    this.#busy = false;
    this.#wish = undefined;
    void this.#worker.then((worker) => {
      if (this.#graph === graph) {
        this.#order(worker, { type: "graph", graph });
      }
    });
  }

  /** Lay out what is open; an answer to an older wish is dropped when a newer one waits. */
  arrange(states: Uint8Array): void {
    this.#wish = states.slice();
    this.#next();
  }

  dispose(): void {
    void this.#worker.then((worker) => worker?.terminate());
  }

  #next(): void {
    const states = this.#wish;
    if (this.#busy || states === undefined) {
      return;
    }
    this.#wish = undefined;
    this.#busy = true;
    this.#turn += 1;
    const order: Order = { type: "arrange", turn: this.#turn, states };
    void this.#worker.then((worker) => {
      if (order.turn === this.#turn) {
        this.#order(worker, order);
      }
    });
  }

  #order(worker: Worker | undefined, order: Order): void {
    if (worker !== undefined) {
      worker.postMessage(order);
      return;
    }
    this.#here ??= new Layouter();
    if (order.type === "graph") {
      this.#here.use(order.graph);
      return;
    }
    this.#end(order.turn, () => this.#here?.arrange(order.states) ?? []);
  }

  #receive(message: Arranged): void {
    if (message.type === "failed") {
      this.#end(message.turn, () => {
        throw new Error(message.message);
      });
      return;
    }
    message.blocks.forEach((block) => this.#blocks.set(block.id, block));
    this.#end(message.turn, () => Array.from(message.blockOf, (id) => (id === -1 ? undefined : this.#blocks.get(id))));
  }

  #end(turn: number, result: () => Arrangement): void {
    if (turn !== this.#turn) {
      return;
    }
    this.#busy = false;
    if (this.#wish === undefined) {
      try {
        this.done(result());
      } catch (error) {
        this.failed(`The graph could not be laid out: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    this.#next();
  }

  /** A webview may start workers from blobs only. */
  async #start(source: string): Promise<Worker | undefined> {
    try {
      const text = await (await fetch(source)).text();
      const worker = new Worker(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
      worker.onmessage = ({ data }: MessageEvent<Arranged>): void => this.#receive(data);
      worker.onerror = ({ message }): void => this.failed(`The layout stopped: ${message}`);
      return worker;
    } catch (error) {
      this.withoutWorker(String(error));
      return undefined;
    }
  }
}
