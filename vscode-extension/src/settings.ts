/** The settings as the server gets them, which is not always as the user wrote them. */

/** Without a setting the models run where the user works: in the Python extension's active `environment`. */
export function forServer(written: unknown, environment: string | undefined): Record<string, unknown> {
  const settings: Record<string, unknown> = isRecord(written) ? { ...written } : {};
  if (settings["interpreter"] === undefined || settings["interpreter"] === "") {
    settings["interpreter"] = environment ?? "";
  }
  return settings;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
