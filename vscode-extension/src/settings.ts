/** The settings as the server gets them, which is not always as the user wrote them. */

/** What they depend on besides what is written. */
export interface Circumstances {
  readonly trusted: boolean;
  /** Interpreter of the Python extension's active environment. */
  readonly environment: string | undefined;
}

/** In a workspace that is not trusted nothing runs; without a setting the models run where the user works. */
export function forServer(written: unknown, { trusted, environment }: Circumstances): Record<string, unknown> {
  const settings: Record<string, unknown> = isRecord(written) ? { ...written } : {};
  if (!trusted) {
    return { ...settings, run: false, interpreter: "" };
  }
  if (settings["interpreter"] === undefined || settings["interpreter"] === "") {
    settings["interpreter"] = environment ?? "";
  }
  return settings;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
