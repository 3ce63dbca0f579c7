/** A workspace that is not trusted: nothing of it runs before trust is given. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import * as path from "node:path";
import { test } from "node:test";

import { Panel } from "./harness/panel";
import { FIXTURES, PYTHON } from "./harness/places";
import { IDLE } from "./harness/sandbox";
import { session, traced } from "./harness/session";
import { until } from "./harness/wait";
import type { Workbench } from "./harness/workbench";

/** Without settings the server finds a Python here, whatever system this is. */
const current = session({ environment: { PATH: [path.dirname(PYTHON), process.env["PATH"]].join(path.delimiter) } });
const SMALL = path.join(FIXTURES, "small");
const HINT = "h: f32[3, 4] = self.fc(x)";
const UNTRUSTED = {
  "security.workspace.trust.enabled": true,
  "security.workspace.trust.startupPrompt": "never",
};
const UNSET = { "fx-lsp.interpreter": "", "fx-lsp.serverInterpreter": "" };

const commands = (): string[] =>
  current()
    .editor.processes()
    .map(({ command }) => command);
const servers = (): number[] =>
  current()
    .editor.processes()
    .flatMap(({ pid, command }) => (command.includes("bundled/serve.py") ? [pid] : []));

/** The extension and its server are asked everything that could make them run something. */
async function provoke(window: Workbench): Promise<void> {
  await window.status.is("FX: untrusted");
  await until("static features need the server", () => (servers().length > 0 ? true : undefined));
  // What is shown statically comes after the server looked at the text: by then a run would have been asked for.
  await window.run("FX: Show FX Graph");
  await new Panel(window).notice("This workspace is not trusted");
  await window.run("FX: Doctor");
  await window.sees("Workspace trusted: no");
  await window.sees("trust: your editor says");
  await window.closeTab("FX Doctor.md");
}

test("nothing of an untrusted workspace runs; it does as soon as trust is given", (t) =>
  traced(t, current(), async () => {
    const workspace = current().profile.workspace([SMALL]);
    const window = await current().open({ workspace, file: "net.py", settings: UNTRUSTED });
    await window.status.is("FX: untrusted");
    await window.shot("untrusted");
    await provoke(window);
    await new Panel(window).shot("untrusted-graph");
    assert.deepEqual(
      commands().filter((command) => /worker\/(main|launcher)\.py/.test(command)),
      [],
    );
    assert.doesNotMatch(await window.text(), /f32\[/);
    const before = servers();

    await window.trust();
    await window.openFile("net.py");
    await window.sees(HINT);
    await window.status.is(IDLE);
    assert.deepEqual(servers(), before, "the server that runs is told");
  }));

test("an interpreter of the workspace is executed by nobody before trust is given", (t) =>
  traced(t, current(), async () => {
    const watcher = createServer((socket) => socket.destroy());
    let calls = 0;
    t.after(() => watcher.close());
    watcher.on("connection", () => calls++);
    watcher.listen(0, "127.0.0.1");
    await once(watcher, "listening");
    const address = watcher.address();
    assert.ok(address !== null && typeof address === "object");
    const { profile } = current();
    const canary = path.join(profile.root, "canary");
    const call = `import socket; socket.create_connection(("127.0.0.1", ${String(address.port)})).close()`;
    const hostile = ["#!/bin/sh", `touch ${canary}`, `${PYTHON} -c '${call}'`, `exec ${PYTHON} "$@"`, ""].join("\n");
    const interpreter = path.join(".venv", "bin", "python");
    const settings = {
      "fx-lsp.interpreter": interpreter,
      "fx-lsp.serverInterpreter": interpreter,
      "fx-lsp.run": true,
      "python.defaultInterpreterPath": interpreter,
      "security.workspace.trust.enabled": false,
    };
    const workspace = profile.workspace([SMALL], { ".vscode/settings.json": JSON.stringify(settings) });
    for (const name of [".venv/bin/python", ".venv/bin/python3", "venv/bin/python", "python3.12", "python3"]) {
      profile.program(path.join(workspace, name), hostile);
    }
    const window = await current().open({ workspace, file: "net.py", settings: { ...UNTRUSTED, ...UNSET } });
    await provoke(window);
    await window.run("FX: Restart");
    await window.status.is("FX: untrusted");
    await provoke(window);
    assert.equal(existsSync(canary), false);
    assert.equal(calls, 0);
    assert.ok(!commands().some((command) => command.includes(workspace)));

    await window.trust();
    await until("the interpreter is executed, so it would have been noticed", () =>
      existsSync(canary) && calls > 0 ? true : undefined,
    );
    await window.openFile("net.py");
    await window.sees(HINT);
  }));
