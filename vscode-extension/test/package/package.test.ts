// What is shipped: made by `npm run package`, looked at here.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { test } from "node:test";

const EXTENSION = path.resolve(import.meta.dirname, "../..");
const PYTHON = process.env["PYTHON"] ?? "python3";

function files(): string[] {
  const vsce = path.join(EXTENSION, "node_modules", "@vscode", "vsce", "vsce");
  const list = execFileSync(process.execPath, [vsce, "ls", "--no-dependencies"], { cwd: EXTENSION, encoding: "utf8" });
  return list.trim().split("\n");
}

test("the package holds what runs, and nothing else", () => {
  const shipped = files();
  for (const needed of [
    "dist/extension.js",
    "dist/webview.js",
    "dist/webview.css",
    "dist/layout.worker.js",
    "bundled/serve.py",
    "bundled/libs/fx_lsp/server/serve.py",
    "bundled/libs/fx_lsp/worker/main.py",
    "media/icon.png",
  ]) {
    assert.ok(shipped.includes(needed), needed);
  }
  const allowed = /^(dist\/[^/]+\.(js|css)|bundled\/(serve\.py|libs\/.+)|media\/.+\.png|walkthrough\/.+\.md|[^/]+)$/;
  const root = ["package.json", "README.md", "CHANGELOG.md", "LICENSE"];
  const unwanted = shipped.filter(
    (file) =>
      !allowed.test(file) ||
      /\.(pyc|so|pyd|map|ts)$|__pycache__|fx_lsp\/cli\//.test(file) ||
      (!file.includes("/") && !root.includes(file)),
  );
  assert.deepEqual(unwanted, []);
});

test("every picture of the README and the walkthrough is there", () => {
  const texts = ["README.md", "package.json"].map((name) => readFileSync(path.join(EXTENSION, name), "utf8"));
  const named = new Set(texts.join("\n").match(/(?:media|walkthrough)\/[\w.]+/g));
  const shipped = files();
  assert.ok(named.size > 0);
  assert.deepEqual(
    [...named].filter((file) => !shipped.includes(file)),
    [],
  );
});

test("it is small", () => {
  const megabytes = statSync(path.join(EXTENSION, "dist", "fx-lsp.vsix")).size / 1e6;
  assert.ok(megabytes < 3, `${String(megabytes)} MB`);
});

test("its server runs in a Python without any package", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "fx-bare-"));
  try {
    execFileSync(PYTHON, ["-m", "venv", "--without-pip", folder]);
    const bin = process.platform === "win32" ? ["Scripts", "python.exe"] : ["bin", "python"];
    const python = path.join(folder, ...bin);
    // -B: the tree that is packaged stays as it is.
    const server = spawn(python, ["-I", "-B", path.join(EXTENSION, "bundled", "serve.py")], { cwd: folder });
    const ended = once(server, "exit");
    let answer = "";
    server.stdout.setEncoding("utf8").on("data", (text: string) => {
      answer += text;
      if (answer.includes('"serverInfo"')) {
        server.stdin.end(); // the client is gone: the server goes as well
      }
    });
    server.stdin.write(
      message({ id: 1, method: "initialize", params: { capabilities: {}, processId: null, rootUri: null } }),
    );
    const deadline = setTimeout(() => server.kill(), 30_000);
    await ended;
    clearTimeout(deadline);
    assert.match(answer, /"serverInfo": ?\{"name": ?"fx-lsp", "version": ?"\d+\.\d+\.\d+"/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

function message(content: object): string {
  const body = JSON.stringify({ jsonrpc: "2.0", ...content });
  return `Content-Length: ${String(Buffer.byteLength(body))}\r\n\r\n${body}`;
}
