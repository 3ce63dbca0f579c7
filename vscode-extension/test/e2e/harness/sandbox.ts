/** What the sandbox lacks on this machine, by which the texts of the tests differ. */

import { execFileSync } from "node:child_process";

import { PYTHON, REPOSITORY } from "./places";

interface Layer {
  readonly name: string;
  readonly status: string;
}

/** The layers as the command line tells them. */
const LAYERS = (
  JSON.parse(
    execFileSync(PYTHON, ["-m", "fx_lsp.cli", "doctor", "--format", "json", REPOSITORY], {
      cwd: REPOSITORY,
      encoding: "utf8",
      env: { ...process.env, XDG_CONFIG_HOME: "/nonexistent" }, // a user who configured nothing, as in a fresh profile
    }),
  ) as { layers: readonly Layer[] }
).layers;

/** Layers that do not hold here. */
export const LACKING = LAYERS.filter(({ status }) => status !== "active");

/** The status item when there is nothing to do: where all layers hold, nothing is said of them. */
export const IDLE = LACKING.length === 0 ? /^\s*FX\s*$/ : /^\s*FX: sandbox (partial|off)\s*$/;
