/** Where an interpreter for the server may be found, in order of preference. Looks at files, runs nothing. */

import { accessSync, constants, realpathSync, statSync } from "node:fs";
import * as path from "node:path";

/** An interpreter that may be there. */
export interface Candidate {
  /** Absolute. */
  readonly path: string;
  /** For the log and for messages. */
  readonly why: string;
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
 * In a workspace that is not trusted nothing of the workspace, and nothing that it can influence, is among them.
 */
export function candidates(around: Surroundings): Candidate[] {
  if (around.setting !== "") {
    return [{ path: configured(around), why: "setting" }];
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

function configured({ setting, folders, searchPath, windows }: Surroundings): string {
  if (path.basename(setting) === setting) {
    const name = windows && !setting.toLowerCase().endsWith(".exe") ? `${setting}.exe` : setting;
    const found = directories(searchPath).map((directory) => path.join(directory, name));
    return found.find(isExecutable) ?? setting;
  }
  return path.resolve(folders[0] ?? ".", setting);
}

function onSearchPath({ searchPath, folders, trusted, windows }: Surroundings): Candidate[] {
  const names = [...MINORS.map((minor) => `python3.${String(minor)}`), "python3", "python"];
  const found = names.flatMap((name) =>
    directories(searchPath).map((directory) => ({
      path: path.join(directory, windows ? `${name}.exe` : name),
      why: "search path",
    })),
  );
  return trusted ? found : found.filter((candidate) => folders.every((folder) => !isInside(candidate.path, folder)));
}

/** Relative entries depend on the current folder, which may be the workspace. */
function directories(searchPath: string): string[] {
  return searchPath.split(path.delimiter).filter((directory) => path.isAbsolute(directory));
}

function isInside(file: string, folder: string): boolean {
  const places = [path.resolve(file), real(file), path.join(real(path.dirname(file)), path.basename(file))];
  return places.some((place) => [path.resolve(folder), real(folder)].some((root) => contains(root, place)));
}

function contains(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative === "" || (!relative.startsWith("..") && !path.isAbsolute(relative));
}

function real(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return path.resolve(file); // it is not there
  }
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
