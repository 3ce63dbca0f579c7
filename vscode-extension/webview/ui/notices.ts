/** What is to be said where there is no graph, or only half of one. */

import type { Action } from "../../src/panel/messages";
import type { GraphReply, PlacedDrawing } from "../../src/protocol";
import { plural } from "../model/format";

/** A heading, what is the matter, and what helps. */
export interface Notice {
  readonly kind: "wait" | "info" | "error";
  readonly title: string;
  readonly text: string;
  readonly actions: readonly (readonly [string, Action])[];
  /** Whether the place of the failure can be shown. */
  readonly place: boolean;
}

/** In place of a graph; undefined when there is one. */
export function noticeOf(reply: GraphReply, trusted: boolean): Notice | undefined {
  const { state, name, message, failure } = reply;
  const what = name || "The class";
  const notice = (kind: Notice["kind"], title: string, actions: Notice["actions"], text = message): Notice => ({
    kind,
    title,
    text,
    actions,
    place: failure?.place != null,
  });
  switch (state) {
    case "graph":
      return reply.drawing === null || reply.drawing.scopes.length === 0
        ? notice("info", "The graph is empty", [])
        : undefined;
    case "empty":
      return notice("info", "The graph is empty", [["Add an example", "addExample"]]);
    case "failed":
      return notice("error", `${what} failed before its first operation`, [["Try again", "retry"]]);
    case "none":
      return notice("info", "No graph to show", reply.names.includes(name) ? [["Add an example", "addExample"]] : []);
    case "off":
      return trusted
        ? notice("info", "Running is switched off", [["Open settings", "settings"]])
        : notice(
            "info",
            "This workspace is not trusted",
            [["Manage workspace trust", "trust"]],
            "To make a graph, FX runs the model. Nothing of this workspace is run until you trust it.",
          );
    case "unavailable":
      return notice("error", "Nothing can be run here", [
        ["Run doctor", "doctor"],
        ["Open settings", "settings"],
        ["Try again", "retry"],
      ]);
    default:
      return notice("error", "This graph cannot be shown", [["Show log", "log"]], message || `State: ${state}`);
  }
}

/** While there is nothing yet. */
export const WAITING: Notice = {
  kind: "wait",
  title: "Running the model…",
  text: "The first run takes a few seconds: torch is imported.",
  actions: [],
  place: false,
};

/** No answer came. */
export function brokenNotice(message: string): Notice {
  return {
    kind: "error",
    title: "The FX server did not answer",
    text: message,
    actions: [
      ["Restart", "restart"],
      ["Show log", "log"],
    ],
    place: false,
  };
}

/** The layout failed: a mistake of ours. */
export function undrawnNotice(message: string): Notice {
  const actions = [["Show log", "log"]] as const;
  return { kind: "error", title: "This graph cannot be drawn", text: message, actions, place: false };
}

/** The layout has no thread of its own. */
export function slowRemark(reason: string): Remark {
  return {
    kind: "info",
    text: `Big graphs will make this panel stand still: no worker could be started. ${reason}`,
    node: -1,
  };
}

/** Above a graph that is not the whole truth. */
export interface Remark {
  readonly kind: "error" | "info";
  readonly text: string;
  /** The box that failed can be shown. */
  readonly node: number;
}

/** In order of importance. */
export function remarksOf(reply: GraphReply, drawing: PlacedDrawing): Remark[] {
  const found: Remark[] = [];
  if (reply.failure !== null) {
    found.push({ kind: "error", text: `Only half a graph: ${reply.failure.message}`, node: reply.failure.node });
  }
  if (drawing.omitted > 0) {
    found.push({
      kind: "info",
      text: `${plural(drawing.omitted, "operation")} left out: the graph is too big.`,
      node: -1,
    });
  }
  if (drawing.unseen > 0) {
    const text = `${plural(drawing.unseen, "value")} made by code that torch tells nothing of: where they come from is unknown.`;
    found.push({ kind: "info", text, node: -1 });
  }
  return found;
}
