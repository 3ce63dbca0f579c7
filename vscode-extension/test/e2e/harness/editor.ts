/** The VS Code server: started on a profile with the packaged extension, and ended with all that it started. */

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { createServer } from "node:net";
import * as path from "node:path";

import { createVSIX } from "@vscode/vsce";

import { EDITOR_NODE, EDITOR_SERVER, VSIX } from "./places";
import { descendants, end, isAlive, type Process } from "./processes";
import type { Profile } from "./profile";
import { START_MS, until } from "./wait";

const HOST = "localhost";

export interface EditorOptions {
  /** Variables that are different. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Lets tests that run inside the extension host be driven. */
  readonly driver?: boolean;
  /** Folders of other extensions to be installed. */
  readonly extensions?: readonly string[];
}

export class Editor {
  private constructor(
    private readonly child: ChildProcess,
    readonly pid: number,
    readonly port: number,
    readonly log: string,
  ) {}

  /** Resolves when it answers. */
  static async start(profile: Profile, options: EditorOptions = {}): Promise<Editor> {
    const { environment, driver = false, extensions = [] } = options;
    const port = await freePort();
    const log = path.join(profile.root, "editor.log");
    const output = openSync(log, "w");
    const packages = [VSIX, ...(await Promise.all(extensions.map((folder) => pack(folder, profile))))];
    const all = [
      ...["--host", "127.0.0.1", "--port", String(port), "--without-connection-token"],
      ...["--accept-server-license-terms", "--telemetry-level", "off", "--force-disable-user-env"],
      ...["--reconnection-grace-time", "1", "--server-data-dir", profile.folder("server")],
      ...["--user-data-dir", profile.folder("user"), "--extensions-dir", profile.extensions],
      ...packages.flatMap((vsix) => ["--install-extension", vsix]),
      ...["--force", "--start-server", ...(driver ? ["--enable-smoke-test-driver"] : [])],
    ];
    const child = spawn(EDITOR_NODE, [EDITOR_SERVER, ...all], {
      cwd: profile.root,
      env: profile.environment(environment),
      detached: true,
      stdio: ["ignore", output, output],
    });
    await once(child, "spawn");
    const editor = new Editor(child, child.pid ?? 0, port, log);
    process.once("exit", () => editor.#abandon());
    await until("VS Code answers", () => editor.#answers(), START_MS);
    await until("the extension is installed", () => profile.installed(packages.length), START_MS);
    return editor;
  }

  get base(): string {
    return `http://${HOST}:${String(this.port)}/`;
  }

  /** Address of a file as the workbench in the browser calls it. */
  remote(file: string): string {
    return `vscode-remote://${HOST}:${String(this.port)}${file}`;
  }

  /** Everything that runs below it, such as the language server and its worker. */
  processes(): Process[] {
    return descendants(this.pid);
  }

  /** End it and everything below it; whatever does not end by itself is killed, and that is an error. */
  async stop(): Promise<void> {
    const below = this.processes();
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const ended = once(this.child, "exit");
      process.kill(-this.pid, "SIGTERM");
      await ended;
    }
    try {
      await until("all processes below VS Code end", () => (below.some(({ pid }) => isAlive(pid)) ? undefined : true));
    } catch (error) {
      below.forEach(({ pid }) => end(pid, "SIGKILL"));
      const left = below.map(({ pid, command }) => `${String(pid)} ${command}`).join("\n");
      throw new Error(`These did not end by themselves:\n${left}`, { cause: error });
    }
  }

  /** The tests ended before their time. */
  #abandon(): void {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      process.kill(-this.pid, "SIGKILL");
    }
  }

  async #answers(): Promise<true | undefined> {
    if (this.child.exitCode !== null) {
      throw new Error(`VS Code ended with status ${String(this.child.exitCode)}; see ${this.log}.`);
    }
    try {
      const reply = await fetch(`${this.base}version`);
      return reply.ok ? true : undefined;
    } catch {
      return undefined; // it does not listen yet
    }
  }
}

/** A `.vsix` of an extension's folder. */
async function pack(folder: string, profile: Profile): Promise<string> {
  const packagePath = path.join(profile.root, `${path.basename(folder)}.vsix`);
  await createVSIX({ cwd: folder, packagePath, dependencies: false, allowMissingRepository: true, skipLicense: true });
  return packagePath;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") {
    throw new Error("The system gave no port.");
  }
  return address.port;
}
