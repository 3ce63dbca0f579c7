/** The process of the language server: how it is started, how it died, and that none is left behind. */

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { homedir } from "node:os";
import * as readline from "node:readline";

const KEPT_LINES = 20;
const PATIENCE_MS = 5_000;

/** One run of the server. */
export class ServerProcess {
  readonly #errors: string[] = [];
  readonly #ended: Promise<void>;

  private constructor(readonly child: ChildProcess) {
    child.on("error", (error) => this.#errors.push(error.message));
    this.#ended = new Promise((resolve) => child.once("close", () => resolve()));
    if (child.stderr !== null) {
      readline.createInterface({ input: child.stderr }).on("line", (line) => {
        this.#errors.push(line);
        this.#errors.splice(0, this.#errors.length - KEPT_LINES);
      });
    }
  }

  /** Apart from the workspace: neither its files nor variables of Python change what the server imports. */
  static async start(python: string, script: string): Promise<ServerProcess> {
    const child = spawn(python, ["-I", script], { cwd: homedir(), stdio: "pipe", windowsHide: true });
    const started = new ServerProcess(child);
    await once(child, "spawn"); // rejects with the `error` event
    return started;
  }

  /** Its last words, or how it ended. */
  get lastWords(): string {
    const { exitCode, signalCode } = this.child;
    if (signalCode !== null) {
      return `It was ended by ${signalCode}.`;
    }
    const last = this.#errors.findLast((line) => line.trim() !== "");
    const why = last === undefined ? "" : `: ${last.trim().replace(/\.$/, "")}`;
    return `It ended with status ${String(exitCode)}${why}.`;
  }

  /** All of stderr that is kept, for the log. */
  get errors(): string {
    return this.#errors.join("\n");
  }

  /** Wait until it is gone; a server that does not go by itself is killed. */
  async end(patience = PATIENCE_MS): Promise<void> {
    const killer = setTimeout(() => this.child.kill("SIGKILL"), patience);
    await this.#ended;
    clearTimeout(killer);
  }
}
