/** Opens the graph of a class: the one that is named, else the one around the cursor. */

import { target } from "../target";
import type { Command } from ".";

export const showGraph: Command = async ({ panels }, uri, name) => {
  const wanted = await target(uri);
  if (wanted !== undefined) {
    await panels.show(wanted.uri, typeof name === "string" ? name : undefined, wanted.line);
  }
};
