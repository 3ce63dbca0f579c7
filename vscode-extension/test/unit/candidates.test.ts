import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, test } from "node:test";

import { candidates, type Surroundings } from "../../src/interpreter/candidates";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), "fx-candidates-")));
});
afterEach(() => rmSync(root, { recursive: true }));

/** A file that may be executed, at a path below `root`. */
function python(...parts: string[]): string {
  const file = path.join(root, ...parts);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, "");
  chmodSync(file, 0o755);
  return file;
}

function paths(given: Partial<Surroundings>): string[] {
  const around = { setting: "", environment: undefined, folders: [], trusted: true, searchPath: "", windows: false };
  return candidates({ ...around, ...given }).map((candidate) => candidate.path);
}

test("environment, then the workspace's own, then newest first on the search path", () => {
  const [environment, venv, dotVenv] = [
    python("conda/python"),
    python("ws/venv/bin/python"),
    python("ws/.venv/bin/python"),
  ];
  const [plain, newest, older] = [python("b/python3"), python("b/python3.14"), python("a/python3.12")];
  const searchPath = [path.join(root, "a"), path.join(root, "b")].join(path.delimiter);
  const found = paths({ environment, folders: [path.join(root, "ws")], searchPath });
  assert.deepEqual(found, [environment, dotVenv, venv, newest, older, plain]);
});

test("each folder of the window is looked at", () => {
  const [one, two] = [python("one/.venv/bin/python"), python("two/.venv/bin/python")];
  assert.deepEqual(paths({ folders: [path.join(root, "one"), path.join(root, "two")] }), [one, two]);
});

test("what is found twice is tried once", () => {
  const environment = python("ws/.venv/bin/python");
  assert.deepEqual(paths({ environment, folders: [path.join(root, "ws")] }), [environment]);
});

test("a setting is the only one, even where nothing is there", () => {
  python("b/python3");
  const searchPath = path.join(root, "b");
  assert.deepEqual(paths({ setting: "/not/there", searchPath }), ["/not/there"]);
  assert.deepEqual(paths({ setting: "no-such-python", searchPath }), ["no-such-python"]);
});

test("a setting may be a name on the search path, or relative to the first folder", () => {
  const [named, relative] = [python("b/python3.12"), python("ws/env/bin/python")];
  assert.deepEqual(paths({ setting: "python3.12", searchPath: path.join(root, "b") }), [named]);
  assert.deepEqual(paths({ setting: "env/bin/python", folders: [path.join(root, "ws")] }), [relative]);
});

test("what is no file, or may not be executed, is no candidate", () => {
  mkdirSync(path.join(root, "b", "python3"), { recursive: true });
  chmodSync(python("b", "python"), 0o644);
  assert.deepEqual(paths({ searchPath: path.join(root, "b") }), []);
});

test("relative entries of the search path are left out", () => {
  assert.deepEqual(paths({ searchPath: ["", ".", "bin"].join(path.delimiter) }), []);
});

test("a name is never left to the system to be looked for", () => {
  const bin = path.dirname(python("ws/bin/python3.12"));
  const around = { setting: "python3.12", environment: undefined, windows: false, folders: [path.join(root, "ws")] };
  const found = (trusted: boolean, searchPath: string): unknown => candidates({ ...around, trusted, searchPath });
  const missing = [{ path: "python3.12", why: "setting", problem: "is not on the search path" }];
  assert.deepEqual(found(true, bin), [{ path: path.join(bin, "python3.12"), why: "setting" }]);
  assert.deepEqual(found(false, bin), missing);
  assert.deepEqual(found(true, "bin"), missing);
});

test("untrusted: not even a setting leads into the workspace", () => {
  const workspace = path.join(root, "ws");
  const [inside, outside] = [python("ws/.venv/bin/python"), python("usr/python")];
  symlinkSync(outside, path.join(workspace, "link"));
  symlinkSync(path.join(workspace, "link"), path.join(root, "through"));
  const problem = (setting: string): string | undefined => {
    const around = { setting, environment: undefined, folders: [workspace], searchPath: "", windows: false };
    return candidates({ ...around, trusted: false })[0]?.problem;
  };
  const expected = "lies in the workspace, which is not trusted";
  for (const setting of [".venv/bin/python", inside, path.join(workspace, "link"), path.join(root, "through")]) {
    assert.equal(problem(setting), expected, setting);
  }
  assert.equal(problem(outside), undefined);
});

test("untrusted: nothing of the workspace, by whatever path it is reached", () => {
  const workspace = path.join(root, "ws");
  python("ws/.venv/bin/python");
  python("ws/bin/python3");
  mkdirSync(path.join(root, "links"));
  symlinkSync(path.join(workspace, "bin", "python3"), path.join(root, "links", "python3.11"));
  symlinkSync(path.join(workspace, "bin"), path.join(root, "linked"));
  const safe = python("usr/bin/python3");
  const searchPath = ["ws/bin", "ws/.venv/bin", "links", "linked", "usr/bin"]
    .map((entry) => path.join(root, entry))
    .join(path.delimiter);
  const untrusted = { folders: [workspace], trusted: false, environment: python("other/python"), searchPath };
  assert.deepEqual(paths(untrusted), [safe]);
  symlinkSync(workspace, path.join(root, "alias"));
  assert.deepEqual(paths({ ...untrusted, folders: [path.join(root, "alias")] }), [safe]);
});
