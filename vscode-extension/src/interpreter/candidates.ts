/** Where an interpreter for the server may be found, in order of preference. Looks at files, runs nothing. */

import { accessSync, constants, statSync } from "node:fs";
import * as path from "node:path";

import { liesIn } from "./inside";

/** An interpreter that may be there. */
export interface Candidate {
  /** Absolute. */
  readonly path: string;
  /** For the log and for messages. */
  readonly why: string;
  /** Why it must not be run, not even to ask its version; as a sentence's rest. */
  readonly problem?: string;
}

/** What the search depends on. */
export interface Surroundings {
  /** `fx-lsp.serverInterpreter`. */
  readonly setting: string;
  /** Interpreter of the Python extension's active environment. */
  readonly environment: string | undefined;
  readonly folders: readonly string[];
  readonly trusted: boolean;
  /** The variable `PATH`. */
  readonly searchPath: string;
  readonly windows: boolean;
}

const MINORS = [14, 13, 12, 11];

/**
 * The candidates that exist, best first. A setting is taken at its word: it is the only one then.
 *
 * In a workspace that is not trusted nothing of the workspace, and nothing that it can influence, may be run.
 */
export function candidates(around: Surroundings): Candidate[] {
  if (around.setting !== "") {
    return [configured(around)];
  }
  const found: Candidate[] = [];
  if (around.trusted) {
    if (around.environment !== undefined) {
      found.push({ path: around.environment, why: "Python extension" });
    }
    for (const folder of around.folders) {
      for (const name of [".venv", "venv"]) {
        const inside = around.windows ? ["Scripts", "python.exe"] : ["bin", "python"];
        found.push({ path: path.join(folder, name, ...inside), why: name });
      }
    }
  }
  found.push(...onSearchPath(around));
  return distinct(found.filter((candidate) => isExecutable(candidate.path)));
}

function configured(around: Surroundings): Candidate {
  const { setting, folders, searchPath, windows } = around;
  const why = "setting";
  if (path.basename(setting) === setting) {
    const name = windows && !setting.toLowerCase().endsWith(".exe") ? `${setting}.exe` : setting;
    const found = directories(searchPath)
      .map((directory) => path.join(directory, name))
      .find((file) => isExecutable(file) && !isForbidden(file, around));
    // Never by its name alone: the system would look for it in folders that were passed over here.
    return found === undefined ? { path: setting, why, problem: "is not on the search path" } : { path: found, why };
  }
  const file = path.resolve(folders[0] ?? ".", setting);
  return isForbidden(file, around)
    ? { path: file, why, problem: "lies in the workspace, which is not trusted" }
    : { path: file, why };
}

function onSearchPath(around: Surroundings): Candidate[] {
  const names = [...MINORS.map((minor) => `python3.${String(minor)}`), "python3", "python"];
  const found = names.flatMap((name) =>
    directories(around.searchPath).map((directory) => ({
      path: path.join(directory, around.windows ? `${name}.exe` : name),
      why: "search path",
    })),
  );
  return found.filter((candidate) => !isForbidden(candidate.path, around));
}

function isForbidden(file: string, { folders, trusted }: Surroundings): boolean {
  return !trusted && folders.some((folder) => liesIn(file, folder));
}

/** Relative entries depend on the current folder, which may be the workspace. */
function directories(searchPath: string): string[] {
  return searchPath.split(path.delimiter).filter((directory) => path.isAbsolute(directory));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false; // it is not there, or not ours
  }
}

function distinct(found: readonly Candidate[]): Candidate[] {
  return found.filter((one, index) => found.findIndex((other) => other.path === one.path) === index);
}
