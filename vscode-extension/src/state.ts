/** What the extension and its server are doing, and how that is said. */

import type { SandboxLayer, Status } from "./protocol";
import { asMarkdown } from "./text";

/** `Status` of the server, and what only the client can know. */
export interface State extends Omit<Status, "state" | "sandbox"> {
  /** `waiting`: no code that imports torch has been seen; `untrusted`: nothing runs before trust is given. */
  readonly state: "waiting" | "starting" | "tracing" | "idle" | "off" | "untrusted" | "error";
}

const QUIET = { done: 0, total: 0, message: "", layers: [] };

export const WAITING: State = { ...QUIET, state: "waiting" };
export const IDLE: State = { ...QUIET, state: "idle" };
export const STARTING: State = { ...QUIET, state: "starting" };

/** The server is not running and will not by itself. */
export function broken(message: string): State {
  return { ...QUIET, state: "error", message };
}

/** What the server says. */
export function fromServer({ state, done, total, message, layers }: Status): State {
  const known = ["starting", "tracing", "idle", "off", "untrusted", "error"] as const;
  return { done, total, message, layers, state: known.find((name) => name === state) ?? "idle" };
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
  // What the server says of trust is for editors that have no word for it.
  const message = state.state === "untrusted" ? "" : state.message;
  const lacking = lackingLayers(state);
  const sentence = [`FX ${says}`, message, lacking.length > 0 ? "Its sandbox is not whole." : ""];
  const tooltip = [`**FX** ${says}`, asMarkdown(message), sandboxList(lacking)];
  return {
    text,
    sentence: sentence.filter(Boolean).join(" "),
    tooltip: tooltip.filter(Boolean).join("\n\n"),
    severity,
  };
}

/** The layers of the sandbox that do not hold where something runs. */
function lackingLayers({ state, layers }: State): SandboxLayer[] {
  return state === "off" || state === "untrusted" ? [] : layers.filter(({ status }) => status !== "active");
}

function sandboxList(lacking: readonly SandboxLayer[]): string {
  const lines = lacking.map(
    ({ name, status, why }) => `- ${[`${name} is ${status}`, why].map(asMarkdown).filter(Boolean).join(": ")}`,
  );
  return lines.length === 0 ? "" : ["The sandbox in which models run is not whole:", "", ...lines].join("\n");
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
      return { text: idleText(state), says: "is up to date.", severity: "normal" };
  }
}

/** A sandbox that is whole is not worth a word. */
function idleText(state: State): string {
  const lacking = lackingLayers(state).length;
  if (lacking === 0) {
    return "$(check) FX";
  }
  return `$(unlock) FX: sandbox ${lacking === state.layers.length ? "off" : "partial"}`;
}
