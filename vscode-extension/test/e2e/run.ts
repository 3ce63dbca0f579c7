/** Runs the tests in the real editor, one file after the other: those that are named, else all of them. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import * as path from "node:path";

import { E2E, EXTENSION } from "./harness/places";
import { twice } from "./harness/twice";

const named = process.argv.slice(2);
const all = readdirSync(E2E).filter((name) => name.endsWith(".test.ts"));
const files = named.length > 0 ? named : all.sort().map((name) => path.relative(EXTENSION, path.join(E2E, name)));

/** A file whose editor hangs shall not hold up the others for ever. */
const LIMIT_MS = 20 * 60_000;

/** Each file in a process of its own, which starts an editor of its own. */
async function passes(file: string): Promise<boolean> {
  console.log(`--- ${file}`);
  const options = ["--import", "tsx", "--test", "--test-reporter=spec", path.resolve(file)];
  const child = spawn(process.execPath, options, { cwd: EXTENSION, stdio: "inherit" });
  const limit = setTimeout(() => {
    console.error(`!!! ${file} did not end in ${String(LIMIT_MS / 60_000)} minutes.`);
    child.kill();
  }, LIMIT_MS);
  const [code] = (await once(child, "exit")) as [number | null];
  clearTimeout(limit);
  return code === 0;
}

const outcomes = await twice(files, passes, (line) => console.error(line));
process.exitCode = [...outcomes.values()].includes("failed") ? 1 : 0;
