/** Starts the server, its worker and all runs anew. */

import type { Command } from ".";

export const restart: Command = ({ server }) => server.restart();
