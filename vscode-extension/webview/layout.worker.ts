/** The layout worker: takes orders one after the other. */

import { Layouter } from "./layout/layouter";
import type { Arranged, Block, Order } from "./layout/types";

const layouter = new Layouter();
const sent = new Set<number>();

self.onmessage = ({ data }: MessageEvent<Order>): void => {
  if (data.type === "graph") {
    layouter.use(data.graph);
    return;
  }
  self.postMessage(arranged(data.turn, data.states));
};

function arranged(turn: number, states: Uint8Array): Arranged {
  try {
    const found = layouter.arrange(states);
    const blocks = new Map<number, Block>();
    found.forEach((block) => {
      if (block !== undefined && !sent.has(block.id)) {
        blocks.set(block.id, block);
        sent.add(block.id);
      }
    });
    const blockOf = Int32Array.from(found, (block) => block?.id ?? -1);
    return { type: "arranged", turn, blocks: [...blocks.values()], blockOf };
  } catch (error) {
    return { type: "failed", turn, message: String(error) };
  }
}
