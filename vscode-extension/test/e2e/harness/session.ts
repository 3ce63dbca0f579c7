/** A VS Code and a browser, for as long as the tests of a file need them; each test opens a window of its own. */

import assert from "node:assert/strict";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import * as path from "node:path";
import { after, before, type TestContext } from "node:test";

import { chromium, type Browser } from "playwright-core";

import { Editor, type EditorOptions } from "./editor";
import { browser as findBrowser, checkSetUp, LOGS } from "./places";
import { Profile, type Settings } from "./profile";
import { START_MS } from "./wait";
import { Workbench } from "./workbench";

/** What a window shows. */
export interface Opened {
  /** A folder or a `.code-workspace` file; undefined: an empty window. */
  readonly workspace?: string;
  /** A file to open at first, absolute or inside the workspace; with `:line:column` the cursor goes there. */
  readonly file?: string;
  readonly settings?: Settings;
  readonly payload?: readonly (readonly [string, string])[];
  /** Functions that the workbench may call. */
  readonly functions?: Readonly<Record<string, (...given: never[]) => unknown>>;
}

export interface SessionOptions extends EditorOptions {
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly scale?: number;
}

/** Hosts that are not this computer: no request may leave it. */
const LOCAL = new Set(["localhost", "127.0.0.1"]);

export class Session {
  /** Requests to other computers, which were refused. */
  readonly outside = new Set<string>();
  #window: Workbench | undefined;

  private constructor(
    readonly profile: Profile,
    readonly editor: Editor,
    private readonly browser: Browser,
    private readonly options: SessionOptions,
  ) {}

  static async start(options: SessionOptions = {}): Promise<Session> {
    checkSetUp();
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.once(signal, () => process.exit(1)); // by default no listener of "exit" is called
    }
    const profile = new Profile();
    profile.writeSettings();
    const [editor, browser] = await Promise.all([Editor.start(profile, options), launch(profile)]);
    return new Session(profile, editor, browser, options);
  }

  /** Open a window in place of the one before. It is a fresh one: nothing of the others is remembered in it. */
  async open({ workspace, file, settings, payload = [], functions = {} }: Opened): Promise<Workbench> {
    await this.close();
    this.profile.writeSettings(settings);
    const { viewport = { width: 1280, height: 800 }, scale = 1 } = this.options;
    const context = await this.browser.newContext({ viewport, deviceScaleFactor: scale });
    await context.route(
      (url) => !LOCAL.has(url.hostname),
      (route) => {
        this.outside.add(new URL(route.request().url()).host);
        return route.abort();
      },
    );
    const page = await context.newPage();
    for (const [name, called] of Object.entries(functions)) {
      await page.exposeFunction(name, called);
    }
    this.#window = new Workbench(page, this.profile, workspace ?? "");
    await page.goto(address(this.editor, workspace, [...this.#first(workspace, file), ...payload]), {
      timeout: START_MS,
    });
    await this.#window.ready(file);
    return this.#window;
  }

  /** The window that is open. */
  get window(): Workbench {
    assert.ok(this.#window, "No window is open.");
    return this.#window;
  }

  /** Close the window; what ran for it ends. */
  async close(): Promise<void> {
    const window = this.#window;
    this.#window = undefined;
    await window?.close();
  }

  async stop(): Promise<void> {
    await this.close();
    await this.browser.close();
    await this.editor.stop();
    this.profile.remove();
  }

  /** Keep a picture, the log and what the console said, for whoever looks into the failure. */
  async keepTraces(name: string): Promise<string> {
    const kept = path.join(LOGS, name.replaceAll(/[^\w]+/g, "-").slice(0, 60));
    mkdirSync(kept, { recursive: true });
    cpSync(this.editor.log, path.join(kept, "editor.log"));
    if (this.#window !== undefined) {
      await this.#window.page.screenshot({ path: path.join(kept, "window.png") });
      writeFileSync(path.join(kept, "console.log"), this.#window.console.join("\n"));
    }
    return kept;
  }

  #first(workspace: string | undefined, file: string | undefined): (readonly [string, string])[] {
    if (file === undefined) {
      return [];
    }
    const absolute = path.resolve(workspace ?? "/", file);
    return [
      ["gotoLineMode", "true"],
      ["openFile", this.editor.remote(absolute)],
    ];
  }
}

/** Address of a window with a folder or a `.code-workspace` file, and what it is told to do at first. */
export function address(
  editor: Editor,
  workspace: string | undefined,
  payload: readonly (readonly [string, string])[],
): string {
  const what = workspace?.endsWith(".code-workspace") === true ? "workspace" : "folder";
  const query = new URLSearchParams(workspace === undefined ? { ew: "true" } : { [what]: workspace });
  query.set("payload", JSON.stringify(payload));
  return `${editor.base}?${query.toString()}`;
}

/** One session for the tests of a file; a test that fails leaves its traces. */
export function session(options: SessionOptions = {}): () => Session {
  let started: Session | undefined;
  before(async () => {
    started = await Session.start(options);
  });
  after(async () => {
    await started?.stop();
  });
  return () => {
    if (started === undefined) {
      throw new Error("The session is there only while tests run.");
    }
    return started;
  };
}

/** Run the body of a test; when it fails, keep the traces and say where. */
export async function traced(test: TestContext, current: Session, body: () => Promise<void>): Promise<void> {
  try {
    await body();
  } catch (error) {
    try {
      test.diagnostic(`traces: ${await current.keepTraces(test.name)}`);
    } catch (other) {
      test.diagnostic(`no traces could be kept: ${String(other)}`); // what failed first is what counts
    }
    throw error;
  }
}

function launch(profile: Profile): Promise<Browser> {
  const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];
  return chromium.launch({ executablePath: findBrowser(), env: profile.environment(), args });
}
