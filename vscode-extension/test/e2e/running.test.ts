/** The server and its worker: what the status item says, its menu, and how both come back. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import * as path from "node:path";
import { test } from "node:test";

import { FIXTURES, PYTHON } from "./harness/places";
import { end, isAlive } from "./harness/processes";
import { IDLE, LACKING } from "./harness/sandbox";
import { session, traced } from "./harness/session";
import { until } from "./harness/wait";

const current = session();
const HINT = "h: f32[3, 4] = self.fc(x)";
const WORKER = /fx_lsp\/worker\/main\.py/;
const SERVER = /bundled\/serve\.py/;

test("the status item says that it starts, and then that all is done", (t) =>
  traced(t, current(), async () => {
    const workspace = current().profile.workspace([path.join(FIXTURES, "small")]);
    const window = await current().open({ workspace, file: "net.py" });
    await window.status.is("FX: starting");
    await window.sees(HINT);
    await window.status.is(IDLE);
    const said = await window.status.says("up to date");
    LACKING.forEach(({ name }) => assert.ok(said.includes(name), `${name} in ${said}`));
    assert.equal(/sandbox/i.test(said), LACKING.length > 0, said);
  }));

test("a layer of the sandbox that was left out is said", (t) =>
  traced(t, current(), async () => {
    const { profile } = current();
    const configuration = path.join(profile.folder("config", "fx-lsp"), "config.toml");
    writeFileSync(configuration, '[sandbox]\noff = ["seccomp-child"]\n');
    const workspace = profile.workspace([path.join(FIXTURES, "small")]);
    const window = await current().open({ workspace, file: "net.py" });
    await window.sees(HINT);
    await window.status.is("FX: sandbox partial");
    assert.match(await window.status.says("not whole"), /seccomp-child is off/);
    await window.shot("sandbox-partial");
    rmSync(configuration);
    await window.run("FX: Restart");
    await window.status.is(IDLE);
  }));

test("the menu of the status item leads to the log, a restart and the doctor", (t) =>
  traced(t, current(), async () => {
    const { window } = current();
    await window.status.open();
    for (const entry of ["Show Log", "Restart", "Doctor", "Choose Call", "Settings"]) {
      await window.picks.entry(entry).waitFor();
    }
    await window.shot("menu");
    await window.picks.pick("Doctor");
    await window.tab("FX Doctor.md").waitFor();
    // A report is of one moment, and the test before this one has started the worker anew.
    await until("a report on a worker that is ready", async () => {
      await window.sees("## Server");
      if (await window.line("worker: ready").isVisible()) {
        return true;
      }
      await window.closeTab("FX Doctor.md");
      await window.run("FX: Doctor");
      return undefined;
    });
    for (const said of [
      "## Extension",
      "Workspace trusted: yes",
      `Python of the server: ${PYTHON} (setting)`,
      "## Sandbox",
      "| layer | applied by | state",
      "| environment | launcher |",
      "torch",
    ]) {
      await window.sees(said);
    }
    await window.shot("doctor");
  }));

test("FX: Show Log shows the log", (t) =>
  traced(t, current(), async () => {
    const { window } = current();
    await window.run("FX: Show Log");
    // Its text is not looked at: the log needs a native module that this VS Code is set up without.
    const chosen = window.page.getByRole("combobox", { name: "Switch Output" }).first();
    await until("the log is shown", async () => ((await chosen.inputValue()) === "FX" ? true : undefined));
    await window.shot("log");
    await window.closeBottom();
  }));

test("a killed worker is replaced, and the hints stay and follow the text", (t) =>
  traced(t, current(), async () => {
    const { window } = current();
    const old = await running(WORKER);
    await window.openFile("net.py");
    await window.sees(HINT);
    end(old, "SIGKILL");
    await until("the worker ends", () => (isAlive(old) ? undefined : true));
    await window.sees(HINT);
    await window.replaceLine(17, "Net()(torch.zeros(7, 8))");
    await window.sees("h: f32[7, 4] = self.fc(x)");
    await running(WORKER);
  }));

test("a killed server is started again, with what was typed", (t) =>
  traced(t, current(), async () => {
    const { window } = current();
    const old = await running(SERVER);
    const worker = await running(WORKER);
    end(old, "SIGKILL");
    await until("another server", async () => ((await running(SERVER)) === old ? undefined : true));
    await window.status.is(IDLE);
    await window.replaceLine(17, "Net()(torch.zeros(6, 8))");
    await window.sees("h: f32[6, 4] = self.fc(x)");
    await until("the old worker ends with its server", () => (isAlive(worker) ? undefined : true));
  }));

test("FX: Restart starts server and worker anew", (t) =>
  traced(t, current(), async () => {
    const { window } = current();
    const old = await running(SERVER);
    await window.run("FX: Restart");
    await until("the old server ends", () => (isAlive(old) ? undefined : true));
    await running(SERVER);
    await window.sees("h: f32[6, 4] = self.fc(x)");
  }));

test("another interpreter is used as soon as it is set; one without torch is said to be", (t) =>
  traced(t, current(), async () => {
    const { window } = current();
    const old = await running(WORKER);
    const bare = path.join(current().profile.root, "bare");
    execFileSync(PYTHON, ["-m", "venv", "--without-pip", bare]);
    current().profile.writeSettings({ "fx-lsp.interpreter": path.join(bare, "bin/python") });
    await window.status.is("FX: error");
    await until("the old worker ends", () => (isAlive(old) ? undefined : true));
    await window.seesNoMore("h: f32[6, 4]");
    assert.match(await window.status.says(bare), /torch/);
    await window.shot("no-torch");
    current().profile.writeSettings();
    await window.sees("h: f32[6, 4] = self.fc(x)");
    await window.status.is(IDLE);
  }));

/** The process whose command has the pattern; waits for it. */
async function running(pattern: RegExp): Promise<number> {
  const found = await until(`a process ${pattern.source}`, () =>
    current()
      .editor.processes()
      .find(({ command }) => pattern.test(command)),
  );
  assert.notEqual(found.pid, process.pid);
  return found.pid;
}
