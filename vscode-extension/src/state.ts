/** What the extension and its server are doing, and how that is said. */

import type { Status } from "./protocol";

/** `Status` of the server, and what only the client can know. */
export interface State extends Omit<Status, "state"> {
  /** `waiting`: no code that imports torch has been seen; `untrusted`: nothing runs before trust is given. */
  readonly state: "waiting" | "starting" | "tracing" | "idle" | "off" | "untrusted" | "error";
}

const QUIET = { done: 0, total: 0, message: "", sandbox: "" };

export const WAITING: State = { ...QUIET, state: "waiting" };
export const IDLE: State = { ...QUIET, state: "idle" };
export const STARTING: State = { ...QUIET, state: "starting" };

/** The server is not running and will not by itself. */
export function broken(message: string): State {
  return { ...QUIET, state: "error", message };
}

/** What the server says, in a workspace that is trusted or is not. */
export function fromServer(status: Status, trusted: boolean): State {
  const known = ["starting", "tracing", "idle", "off", "error"] as const;
  const state = known.find((name) => name === status.state) ?? "idle";
  return { ...status, state: state === "off" && !trusted ? "untrusted" : state };
}

/** How a state is shown in the status bar. */
export interface Look {
  readonly text: string;
  /** What it is doing, in a sentence. */
  readonly sentence: string;
  /** Markdown. */
  readonly tooltip: string;
  readonly severity: "normal" | "warning" | "error";
}

/** Text, tooltip and colour of the status item. */
export function look(state: State): Look {
  const { text, says, severity } = words(state);
  const sentence = [`FX ${says}`, state.message].filter(Boolean).join(" ");
  const lines = [`**FX** ${says}`];
  if (state.message !== "") {
    lines.push(state.message);
  }
  if (state.sandbox !== "" && state.state !== "off" && state.state !== "untrusted") {
    lines.push(`Sandbox: ${state.sandbox}`);
  }
  return { text, sentence, tooltip: lines.join("\n\n"), severity };
}

function words(state: State): { text: string; says: string; severity: Look["severity"] } {
  switch (state.state) {
    case "waiting":
      return { text: "$(circle-outline) FX", says: "waits for a file that imports torch.", severity: "normal" };
    case "starting":
      return { text: "$(loading~spin) FX: starting", says: "is starting.", severity: "normal" };
    case "tracing": {
      const count =
        state.total === 0 ? "" : ` ${String(Math.min(state.done + 1, state.total))} of ${String(state.total)}`;
      return { text: `$(loading~spin) FX: tracing${count}`, says: `is tracing${count}.`, severity: "normal" };
    }
    case "off":
      return {
        text: "$(circle-slash) FX: off",
        says: "runs nothing: the setting fx-lsp.run is off.",
        severity: "normal",
      };
    case "untrusted":
      return {
        text: "$(shield) FX: untrusted",
        says: "runs nothing until you trust this workspace.",
        severity: "warning",
      };
    case "error":
      return { text: "$(error) FX: error", says: "cannot go on.", severity: "error" };
    case "idle":
      return state.sandbox === ""
        ? { text: "$(check) FX", says: "is up to date.", severity: "normal" }
        : { text: "$(unlock) FX: sandbox off", says: "is up to date.", severity: "normal" };
  }
}
