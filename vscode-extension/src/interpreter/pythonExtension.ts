/** The environment that is active in the Python extension, where that is installed. */

import * as vscode from "vscode";

const ID = "ms-python.python";

/** It looks for environments when it starts, which may take long: shapes do not wait for that. */
const PATIENCE_MS = 10_000;

/** The part of its public interface that is used here. */
interface PythonApi {
  readonly ready?: Promise<void>;
  readonly environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): EnvironmentPath;
    resolveEnvironment(environment: EnvironmentPath): Promise<ResolvedEnvironment | undefined>;
    readonly onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

interface EnvironmentPath {
  readonly path: string;
}

interface ResolvedEnvironment {
  /** Without one where the environment has no Python yet, as conda allows. */
  readonly executable: { readonly uri?: vscode.Uri | undefined };
}

/** Follows the choice of environment, also when the Python extension is installed or is ready later. */
export class PythonExtension implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscriptions: vscode.Disposable[] = [this.#changed];
  #connecting: Promise<PythonApi> | undefined;

  /** Another environment may be active. */
  readonly onDidChange = this.#changed.event;

  constructor(private readonly log: vscode.LogOutputChannel) {
    this.#subscriptions.push(
      vscode.extensions.onDidChange(() => {
        if (this.#connecting === undefined && vscode.extensions.getExtension(ID) !== undefined) {
          this.#changed.fire();
        }
      }),
    );
  }

  /** Interpreter of the active environment; undefined when there is none, or no Python extension. */
  async interpreter(folder: vscode.Uri | undefined): Promise<string | undefined> {
    const extension = vscode.extensions.getExtension<PythonApi>(ID);
    if (extension === undefined) {
      return undefined;
    }
    this.#connecting ??= this.#connect(extension);
    const answer = this.#connecting.then((api) => active(api, folder));
    try {
      return await this.#inTime(answer);
    } catch (error) {
      this.log.warn(`The Python extension did not tell its environment: ${String(error)}`);
      return undefined;
    }
  }

  dispose(): void {
    vscode.Disposable.from(...this.#subscriptions).dispose();
  }

  async #connect(extension: vscode.Extension<PythonApi>): Promise<PythonApi> {
    const api = await extension.activate();
    await api.ready;
    this.#subscriptions.push(api.environments.onDidChangeActiveEnvironmentPath(() => this.#changed.fire()));
    return api;
  }

  /** Nothing, where it takes too long; when the answer comes after all, that is a change. */
  async #inTime<T>(answer: Promise<T>): Promise<T | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => {
        this.log.warn("The Python extension is still starting; its environment is used as soon as it is known.");
        answer.then(
          () => this.#changed.fire(),
          (error: unknown) => this.log.warn(`The Python extension did not start: ${String(error)}`),
        );
        resolve(undefined);
      }, PATIENCE_MS);
    });
    try {
      return await Promise.race([answer, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

async function active(api: PythonApi, folder: vscode.Uri | undefined): Promise<string | undefined> {
  const environment = await api.environments.resolveEnvironment(api.environments.getActiveEnvironmentPath(folder));
  return environment?.executable.uri?.fsPath;
}
