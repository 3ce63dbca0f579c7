/** Whether a workspace could have brought a file along. */

import { readlinkSync, realpathSync } from "node:fs";
import * as path from "node:path";

/** As many links as systems follow. */
const MOST_LINKS = 40;

/** Whether the file, or any link on the way to it, is in the folder. */
export function liesIn(file: string, folder: string): boolean {
  const roots = [path.resolve(folder), real(folder)];
  return steps(file).some((step) => roots.some((root) => contains(root, step)));
}

/** The file, and what its links lead to one after the other; each as it is named and as it is reached. */
function steps(file: string): string[] {
  const found: string[] = [];
  let next: string | undefined = path.resolve(file);
  for (let links = 0; next !== undefined && links < MOST_LINKS; links += 1) {
    const reached: string = path.join(real(path.dirname(next)), path.basename(next));
    found.push(next, reached);
    next = target(reached);
  }
  return [...found, real(file)];
}

/** Where a link leads; undefined for what is none. */
function target(file: string): string | undefined {
  try {
    return path.resolve(path.dirname(file), readlinkSync(file));
  } catch {
    return undefined;
  }
}

function contains(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative === "" || (relative.split(path.sep)[0] !== ".." && !path.isAbsolute(relative));
}

function real(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    return path.resolve(file); // it is not there
  }
}
