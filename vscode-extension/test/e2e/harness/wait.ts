/** Waiting for what has no event of its own. */

import { setTimeout } from "node:timers/promises";

const STEP_MS = 50;

/** The first answer that is not undefined; fails after `patience`, saying what it waited for. */
export async function until<T>(
  what: string,
  answer: () => T | undefined | Promise<T | undefined>,
  patience = 30_000,
): Promise<T> {
  for (const end = Date.now() + patience; ;) {
    const found = await answer();
    if (found !== undefined) {
      return found;
    }
    if (Date.now() > end) {
      throw new Error(`Waited ${String(patience / 1000)} s in vain: ${what}.`);
    }
    await setTimeout(STEP_MS);
  }
}
