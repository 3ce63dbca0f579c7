/** Opens the demo workspace in VS Code with the packaged extension, for a look; ends with Ctrl+C. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import * as path from "node:path";

import { Editor } from "./harness/editor";
import { checkSetUp, EXAMPLES } from "./harness/places";
import { Profile } from "./harness/profile";
import { address } from "./harness/session";

checkSetUp();
const profile = new Profile();
profile.writeSettings({ "editor.minimap.enabled": true, "workbench.tips.enabled": true });
const ended = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
const editor = await Editor.start(profile);
const first: [string, string][] = [["openFile", editor.remote(path.join(EXAMPLES, "gpt2.py"))]];
const url = address(editor, EXAMPLES, first);
console.log(`VS Code shows ${EXAMPLES} here until you press Ctrl+C:\n\n  ${url}\n`);
if (process.env["DISPLAY"] !== undefined || process.env["WAYLAND_DISPLAY"] !== undefined) {
  spawn("xdg-open", [url], { stdio: "ignore" }).once("error", () =>
    console.log("xdg-open is not there: open the address in a browser."),
  );
}
await ended;
await editor.stop();
profile.remove();
