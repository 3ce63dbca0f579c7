/** What the user chose to see first, by file: kept for the workspace, and given to each server that starts. */

/** What is needed of VS Code's storage of a workspace. */
export interface Storage {
  get(key: string): unknown;
  update(key: string, value: unknown): Thenable<void>;
}

const KEY = "chosen";
/** Files of which it is remembered, those chosen in last. */
const MOST = 500;

/** Remembers what the server calls `chosen`, without looking into it. */
export class Choices {
  constructor(private readonly storage: Storage) {}

  all(): Record<string, unknown> {
    const kept = this.storage.get(KEY);
    return typeof kept === "object" && kept !== null ? { ...kept } : {};
  }

  async keep(uri: string, chosen: unknown): Promise<void> {
    const others = Object.entries(this.all()).filter(([name]) => name !== uri);
    await this.storage.update(KEY, Object.fromEntries([...others.slice(1 - MOST), [uri, chosen]]));
  }
}
