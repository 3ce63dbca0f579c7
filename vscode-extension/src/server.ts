/** The language server as the rest of the extension sees it: it is there when it is asked for something. */

import * as vscode from "vscode";

import type { Choices } from "./choices";
import { makeClient, type Client } from "./client";
import { Crashes } from "./crashes";
import type { Environment } from "./environment";
import { messageOf } from "./errors";
import { noInterpreter } from "./interpreter/choose";
import { ServerProcess } from "./process";
import type { Status, TrustParams } from "./protocol";
import { broken, fromServer, IDLE, STARTING, WAITING, type State } from "./state";

/** What the views need of the server. */
export interface Requests {
  /** The server is started for it where it does not run. */
  request<R>(method: string, params: object): Promise<R>;
  /** Nothing is being traced: answers are as new as they can be. */
  readonly onIdle: vscode.Event<void>;
  /** Another server runs than before. */
  readonly onRestart: vscode.Event<void>;
}

/** A server that runs. */
interface Running {
  readonly client: Client;
  readonly process: ServerProcess;
  readonly python: string;
}

/** Starts the server, keeps it running and says what became of it. */
export class Server implements Requests, vscode.Disposable {
  readonly #idle = new vscode.EventEmitter<void>();
  readonly #restarted = new vscode.EventEmitter<void>();
  readonly #changed = new vscode.EventEmitter<State>();
  readonly #crashes = new Crashes();
  #state: State = WAITING;
  #running: Running | undefined;
  /** The last of the starts and stops, which happen one after the other. */
  #turn: Promise<void> = Promise.resolve();
  #start: Promise<void> | undefined;
  #restart: Promise<void> | undefined;

  readonly onIdle = this.#idle.event;
  readonly onRestart = this.#restarted.event;
  readonly onDidChangeState = this.#changed.event;

  constructor(
    private readonly environment: Environment,
    private readonly choices: Choices,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  get state(): State {
    return this.#state;
  }

  /** Whether there is one to ask; errors of a server that runs are its own to tell. */
  get running(): boolean {
    return this.#running !== undefined;
  }

  async request<R>(method: string, params: object): Promise<R> {
    await this.start();
    if (this.#running === undefined) {
      throw new Error(this.#state.message);
    }
    return this.#running.client.sendRequest<R>(method, params);
  }

  /** One of the server's own commands. */
  execute(command: string, ...given: readonly unknown[]): Promise<unknown> {
    return this.request("workspace/executeCommand", { command, arguments: given });
  }

  /** Start it, where it does not run; a failure is told to the user and is in the state. */
  start(): Promise<void> {
    if (this.#running !== undefined) {
      return Promise.resolve();
    }
    this.#start ??= this.#inTurn(() => this.#begin()).finally(() => (this.#start = undefined));
    return this.#start;
  }

  /** Stop it and start it anew. Several wishes that come before it stopped are one. */
  restart(): Promise<void> {
    this.#restart ??= this.#inTurn(() => {
      this.#restart = undefined;
      this.#crashes.forget();
      return this.#end().then(() => this.#begin());
    });
    return this.#restart;
  }

  /** Settings or the environment changed: the server asks for them, and is another one if it has to be. */
  refresh(): Promise<void> {
    return this.#tell("workspace/didChangeConfiguration", { settings: null });
  }

  /** The user trusts the workspace: the server hears of it, and is another one if it has to be. */
  trust(): Promise<void> {
    return this.#tell("fx/trust", { trusted: vscode.workspace.isTrusted } satisfies TrustParams);
  }

  async stop(): Promise<void> {
    await this.#inTurn(() => this.#end());
  }

  dispose(): void {
    vscode.Disposable.from(this.#idle, this.#restarted, this.#changed).dispose();
  }

  /** Tell the server, unless it has to be started anew: then it hears of everything anyway. */
  async #tell(method: string, params: object): Promise<void> {
    await this.#turn;
    const running = this.#running;
    if (running === undefined) {
      return this.#state.state === "error" ? this.restart() : undefined;
    }
    const { chosen } = await this.environment.server();
    if (running !== this.#running) {
      return; // another one runs meanwhile, which asked for itself
    }
    if (chosen?.path !== running.python) {
      return this.restart();
    }
    await running.client.sendNotification(method, params);
  }

  #inTurn(action: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(action);
    this.#turn = turn.catch(() => undefined); // the next one comes all the same; who asked for it gets the error
    return turn;
  }

  /** Never rejects: what goes wrong becomes the state. */
  async #begin(): Promise<void> {
    if (this.#running !== undefined) {
      return;
    }
    this.#become(STARTING);
    let process: ServerProcess | undefined;
    try {
      const choice = await this.environment.server();
      choice.rejected.forEach((reason) => this.log.info(`Not for the server: ${reason}`));
      if (choice.chosen === undefined) {
        this.#become(broken(noInterpreter(choice, vscode.workspace.isTrusted)));
        return;
      }
      const { path: python, why } = choice.chosen;
      this.log.info(`Starting the server: ${python} (${why})`);
      process = await ServerProcess.start(python, this.environment.script);
      const client = await this.#connect(process);
      this.#running = { client, process, python };
      if (this.#state === STARTING && !vscode.workspace.textDocuments.some(isPythonFile)) {
        this.#become(IDLE); // it has nothing to do yet, so it says nothing
      }
      this.#restarted.fire();
    } catch (error) {
      const reason = await this.#reason(process, error);
      this.#become(broken(`The FX server did not start. ${reason} The log has more.`));
    }
  }

  async #connect(process: ServerProcess): Promise<Client> {
    const settings = (folder?: vscode.Uri): Promise<Record<string, unknown>> => this.environment.settings(folder);
    const client = await makeClient(
      process,
      { settings, chosen: () => this.choices.all(), closed: () => this.#closed(process) },
      this.log,
    );
    client.onNotification("fx/idle", () => this.#idle.fire());
    client.onNotification("fx/status", (status: Status) => this.#become(fromServer(status)));
    await client.start();
    return client;
  }

  async #reason(process: ServerProcess | undefined, error: unknown): Promise<string> {
    const what = messageOf(error);
    if (process === undefined) {
      return `${what}.`;
    }
    await process.end();
    this.log.error(`The server did not start: ${what}\n${process.errors}`);
    return process.lastWords;
  }

  #closed(process: ServerProcess): void {
    if (this.#running?.process !== process) {
      return; // it is being started or stopped: that is dealt with there
    }
    this.#running = undefined;
    void this.#inTurn(async () => {
      await process.end();
      this.log.error(`The server ended unasked. ${process.lastWords}\n${process.errors}`);
      if (this.#crashes.again(Date.now())) {
        await this.#begin();
      } else {
        this.#become(broken(`The FX server ended several times in a row. ${process.lastWords} The log has more.`));
      }
    });
  }

  async #end(): Promise<void> {
    const running = this.#running;
    if (running === undefined) {
      return;
    }
    this.#running = undefined;
    await running.client.dispose().catch((error: unknown) => this.log.warn(`Stopping the server: ${String(error)}`));
    await running.process.end();
  }

  #become(state: State): void {
    this.#state = state;
    this.#changed.fire(state);
  }
}

function isPythonFile({ languageId, uri }: vscode.TextDocument): boolean {
  return languageId === "python" && uri.scheme === "file";
}
