import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { test } from "node:test";

import { choose, noInterpreter } from "../../src/interpreter/choose";
import { askVersion, isNewEnough, type Answer } from "../../src/interpreter/version";

const AMONG = [
  { path: "/old", why: ".venv" },
  { path: "/broken", why: "venv" },
  { path: "/good", why: "search path" },
  { path: "/newer", why: "search path" },
];
const ANSWERS: Record<string, Answer> = {
  "/old": { version: [3, 9] },
  "/broken": { problem: "is not there" },
  "/good": { version: [3, 11] },
};

test("the first that is new enough; those after it are not run", async () => {
  const asked: string[] = [];
  const { chosen, rejected } = await choose(AMONG, (python) => {
    asked.push(python);
    return Promise.resolve(ANSWERS[python] ?? { problem: "should not be asked" });
  });
  assert.equal(chosen?.path, "/good");
  assert.deepEqual(rejected, ["/old (.venv) is Python 3.9", "/broken (venv) is not there"]);
  assert.deepEqual(asked, ["/old", "/broken", "/good"]);
});

test("what must not be run is not asked", async () => {
  const forbidden = { path: "/ws/python", why: "setting", problem: "lies in the workspace, which is not trusted" };
  const { chosen, rejected } = await choose([forbidden], () => assert.fail("it was asked"));
  assert.equal(chosen, undefined);
  assert.deepEqual(rejected, ["/ws/python (setting) lies in the workspace, which is not trusted"]);
});

test("without one the message names what was found, what is needed and what to do", async () => {
  const choice = await choose(AMONG.slice(0, 2), (python) => Promise.resolve(ANSWERS[python] ?? { problem: "?" }));
  const message = noInterpreter(choice, true);
  for (const part of ["3.11 or newer", "/old (.venv) is Python 3.9", "fx-lsp.serverInterpreter"]) {
    assert.ok(message.includes(part), `${part} in: ${message}`);
  }
  assert.ok(noInterpreter({ chosen: undefined, rejected: [] }, false).includes("not trusted"));
});

test("new enough", () => {
  assert.deepEqual(
    [isNewEnough([3, 10]), isNewEnough([3, 11]), isNewEnough([3, 14]), isNewEnough([4, 0]), isNewEnough([2, 7])],
    [false, true, true, true, false],
  );
});

test("a real interpreter is asked", async () => {
  const python = execFileSync("python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" }).trim();
  const answer = await askVersion(python);
  assert.ok("version" in answer && answer.version[0] === 3, JSON.stringify(answer));
});

test("what is no interpreter is a reason, not an exception", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "fx-version-"));
  try {
    const script = (name: string, text: string, mode = 0o755): string => {
      const file = path.join(folder, name);
      writeFileSync(file, text);
      chmodSync(file, mode);
      return file;
    };
    assert.deepEqual(await askVersion(path.join(folder, "nothing")), { problem: "is not there" });
    const fails = script("fails", "#!/bin/sh\necho first >&2\necho 'no such version' >&2\nexit 127\n");
    assert.deepEqual(await askVersion(fails), { problem: "failed: no such version" });
    assert.deepEqual(await askVersion(script("other", "#!/bin/sh\necho hello\n")), {
      problem: "is no Python interpreter",
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
