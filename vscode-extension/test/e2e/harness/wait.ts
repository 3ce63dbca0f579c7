/** Waiting for what has no event of its own, and trying again what a busy window may miss. */

import { setTimeout } from "node:timers/promises";

import { errors, type Locator } from "playwright-core";

/** On a machine that is very busy the variable makes all waits longer. */
const FACTOR = Number(process.env["FX_TEST_PATIENCE"] ?? "1");

/** For whatever only a slow machine takes long for; torch is imported in that time too. */
export const PATIENCE_MS = 180_000 * FACTOR;

/** For what loads much at once: VS Code itself, and its page. */
export const START_MS = 180_000 * FACTOR;

/** After so long without an effect something is done once more. */
export const TRY_MS = 10_000 * FACTOR;

const STEP_MS = 50;

/** The first answer that is not undefined; fails after `patience`, saying what it waited for. */
export async function until<T>(
  what: string,
  answer: () => T | undefined | Promise<T | undefined>,
  patience = PATIENCE_MS,
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

/**
 * Do it until it has its effect. A key or a click is lost while the focus moves or while what it is for is drawn anew,
 * so each attempt has to wait for the effect, for {@link TRY_MS} at most, and to do nothing twice that happened.
 */
export async function retried<T>(what: string, attempt: () => Promise<T>): Promise<T> {
  for (const end = Date.now() + PATIENCE_MS; ;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof errors.TimeoutError)) {
        throw error;
      }
      if (Date.now() > end) {
        throw new Error(`Tried for ${String(PATIENCE_MS / 1000)} s in vain: ${what}.`, { cause: error });
      }
    }
  }
}

/** Click on what may be drawn anew in that moment, until there is what the click is for. */
export async function click(what: Locator, outcome: Locator): Promise<void> {
  await retried(`${String(outcome)} after a click on ${String(what)}`, async () => {
    if (!(await outcome.isVisible())) {
      await what.click({ timeout: TRY_MS });
      await outcome.waitFor({ timeout: TRY_MS });
    }
  });
}
