/** Starts the page of the graph panel. */

import { Host } from "./host";
import { GraphPage } from "./panel";

const root = document.getElementById("panel");
if (root === null) {
  throw new Error("The page has no place for the panel.");
}
new GraphPage(root, new Host(), root.dataset["worker"] ?? "");
