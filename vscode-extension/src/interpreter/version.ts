/** Asks an interpreter for its version, by running it apart from everything that could change what it does. */

import { execFile } from "node:child_process";
import { homedir } from "node:os";

/** What the server needs; the interpreter that runs the models may be older. */
export const OLDEST: Version = [3, 11];

const PATIENCE_MS = 15_000;
const PROGRAM = "import sys; print(*sys.version_info[:2])";

export type Version = readonly [major: number, minor: number];

/** An interpreter that answered, or the reason why it cannot be used. */
export type Answer = { readonly version: Version } | { readonly problem: string };

/** Run the interpreter: only to be done with one that may be run. */
export function askVersion(python: string): Promise<Answer> {
  return new Promise((resolve) => {
    // Never in the workspace: there a file could stand for a module of the standard library.
    const options = { cwd: homedir(), timeout: PATIENCE_MS, windowsHide: true };
    execFile(python, ["-I", "-c", PROGRAM], options, (error, stdout, stderr) => {
      const found = /^(\d+) (\d+)\s*$/.exec(stdout);
      if (error === null && found !== null) {
        resolve({ version: [Number(found[1]), Number(found[2])] });
      } else {
        resolve({ problem: problemOf(error, stderr) });
      }
    });
  });
}

/** Whether the server can run in it. */
export function isNewEnough([major, minor]: Version): boolean {
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

function problemOf(
  error: (Error & { code?: number | string | null; killed?: boolean }) | null,
  stderr: string,
): string {
  if (error?.killed === true) {
    return `gave no answer in ${String(PATIENCE_MS / 1000)} s`;
  }
  if (error?.code === "ENOENT") {
    return "is not there";
  }
  if (error?.code === "EACCES") {
    return "may not be executed";
  }
  const last = stderr.trim().split("\n").at(-1) ?? "";
  return last === "" ? "is no Python interpreter" : `failed: ${last}`;
}
