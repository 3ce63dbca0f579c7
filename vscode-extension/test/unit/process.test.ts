import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { after, before, test } from "node:test";

import { ServerProcess } from "../../src/process";

let folder: string;
before(() => {
  folder = mkdtempSync(path.join(tmpdir(), "fx-process-"));
});
after(() => rmSync(folder, { recursive: true }));

function script(text: string): string {
  const file = path.join(folder, "serve.py");
  writeFileSync(file, text);
  return file;
}

test("its last words are kept", async () => {
  const server = await ServerProcess.start(
    "python3",
    script("import sys; print('one', file=sys.stderr); sys.exit('no')"),
  );
  await server.end();
  assert.equal(server.lastWords, "It ended with status 1: no.");
  assert.equal(server.errors, "one\nno");
});

test("an interpreter that is not there is an error", async () => {
  await assert.rejects(ServerProcess.start(path.join(folder, "nothing"), "serve.py"), /ENOENT/);
});

test("a server that does not go is killed", async () => {
  const server = await ServerProcess.start("python3", script("import time; print(flush=True); time.sleep(60)"));
  assert.ok(server.child.stdout);
  await once(server.child.stdout, "data");
  await server.end(100);
  assert.match(server.lastWords, /was ended by SIGKILL/);
});
