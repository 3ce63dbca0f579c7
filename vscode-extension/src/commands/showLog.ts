/** Shows the log of the extension and of its server. */

import type { Command } from ".";

export const showLog: Command = ({ log }) => {
  log.show();
};
