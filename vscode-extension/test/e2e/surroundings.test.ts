/** Surroundings in which the server cannot run: what is the matter and what to do is on the screen. */

import assert from "node:assert/strict";
import * as path from "node:path";
import { test } from "node:test";

import { FIXTURES, PYTHON } from "./harness/places";
import { session, traced } from "./harness/session";
import { click } from "./harness/wait";

const current = session({ environment: { PATH: "/nonexistent" } });
const small = (): string => current().profile.workspace([path.join(FIXTURES, "small")]);

test("without a Python the message says what is needed, and a setting repairs it", (t) =>
  traced(t, current(), async () => {
    const settings = { "fx-lsp.serverInterpreter": "", "fx-lsp.interpreter": "" };
    const window = await current().open({ workspace: small(), file: "net.py", settings });
    const said = await window.message("FX needs Python 3.11 or newer");
    assert.match(said, /No Python was found\./);
    assert.match(said, /Name one in the setting fx-lsp\.serverInterpreter\./);
    for (const offered of ["Choose Interpreter", "Show Log", "Restart"]) {
      await window.button(offered).waitFor();
    }
    await window.status.is("FX: error");
    await window.shot("no-python");
    const settingsPage = window.page.locator(".settings-editor").getByText("@id:fx-lsp.serverInterpreter");
    await click(window.button("Choose Interpreter"), settingsPage);
    await window.leaveModal();
    current().profile.writeSettings();
    await window.openFile("net.py");
    await window.sees("h: f32[3, 4] = self.fc(x)");
  }));

test("a server that dies at the start is told with its last words", (t) =>
  traced(t, current(), async () => {
    const { profile } = current();
    const broken = profile.program(
      path.join(profile.root, "broken-python"),
      `#!/bin/sh\ncase "$*" in *serve.py*) echo "ImportError: no such thing" >&2; exit 3;; esac\nexec ${PYTHON} "$@"\n`,
    );
    const settings = { "fx-lsp.serverInterpreter": broken };
    const window = await current().open({ workspace: small(), file: "net.py", settings });
    const said = await window.message("The FX server did not start");
    assert.match(said, /ImportError: no such thing/);
    assert.match(said, /The log has more/);
    await window.status.is("FX: error");
    await window.shot("crash-at-start");
    await window.run("FX: Doctor");
    await window.tab("FX Doctor.md").waitFor();
    await window.sees("It does not run");
    assert.doesNotMatch(await window.text(), /f32\[/);
  }));
