/** Processes that descend from one that was started here; nobody else's are ever touched. */

import { readdirSync, readFileSync } from "node:fs";

export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** All that descend from `ancestor` now. */
export function descendants(ancestor: number): Process[] {
  const all = processes();
  const found: Process[] = [];
  const known = new Set([ancestor]);
  // A child has a greater number than its parent only mostly: repeat until nothing is added.
  for (let before = -1; before !== found.length;) {
    before = found.length;
    for (const one of all) {
      if (known.has(one.parent) && !known.has(one.pid)) {
        known.add(one.pid);
        found.push(one);
      }
    }
  }
  return found;
}

export function isAlive(pid: number): boolean {
  return processes().some((one) => one.pid === pid);
}

/** Send a signal to a process that may be gone already. */
export function end(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  if (isAlive(pid)) {
    process.kill(pid, signal);
  }
}

function processes(): Process[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => read(Number(name)));
}

function read(pid: number): Process[] {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, "utf8");
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const command = readFileSync(`/proc/${String(pid)}/cmdline`, "utf8")
      .replaceAll("\0", " ")
      .trim();
    return state === "Z" ? [] : [{ pid, parent: Number(parent), command }];
  } catch {
    return []; // it ended while it was being looked at
  }
}
