/** A workspace that is not trusted: nothing of it runs before trust is given. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import * as path from "node:path";
import { test } from "node:test";

import { Panel } from "./harness/panel";
import { FIXTURES } from "./harness/places";
import { session, traced } from "./harness/session";
import { until } from "./harness/wait";

const current = session();
const UNTRUSTED = {
  "security.workspace.trust.enabled": true,
  "security.workspace.trust.startupPrompt": "never",
};

/** It is called by whatever imports a module of the workspace; a run may not write files, but may connect. */
const watcher = createServer((socket) => {
  calls++;
  socket.destroy();
});
let calls = 0;

test("nothing of an untrusted workspace runs; it does as soon as trust is given", (t) =>
  traced(t, current(), async () => {
    watcher.listen(0, "127.0.0.1");
    await once(watcher, "listening");
    const address = watcher.address();
    assert.ok(address !== null && typeof address === "object");
    const tell = `import socket\n\nsocket.create_connection(("127.0.0.1", ${String(address.port)})).close()\n`;

    const { profile, editor } = current();
    const workspace = profile.workspace([path.join(FIXTURES, "small")], { "teller.py": tell });
    const window = await current().open({ workspace, file: "net.py", settings: UNTRUSTED });
    await window.status.is("FX: untrusted");
    await window.shot("untrusted");
    await window.replaceLine(2, "import teller");
    const commands = (): string[] => editor.processes().map(({ command }) => command);
    assert.ok(
      commands().some((command) => command.includes("bundled/serve.py")),
      "static features need the server",
    );
    // What is shown statically comes after the server looked at the text: by then a run would have been asked for.
    await window.run("FX: Show FX Graph");
    const panel = new Panel(window);
    await panel.notice("This workspace is not trusted");
    await panel.shot("untrusted-graph");
    assert.deepEqual(
      commands().filter((command) => command.includes("worker/main.py")),
      [],
    );
    assert.equal(calls, 0);
    assert.doesNotMatch(await window.text(), /f32\[/);

    await window.trust();
    await window.openFile("net.py");
    await window.sees("h: f32[3, 4] = self.fc(x)");
    await until("the module ran", () => (calls > 0 ? true : undefined));
    await window.status.is(/^\s*FX(: sandbox off)?$/);
  }).finally(() => watcher.close()));
