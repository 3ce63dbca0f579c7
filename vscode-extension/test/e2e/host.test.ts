/** Runs the tests of `host/suite.ts` inside the extension host of a window with the packaged extension. */

import assert from "node:assert/strict";
import * as path from "node:path";
import { test } from "node:test";
import { format } from "node:util";

import * as esbuild from "esbuild";

import { E2E, FIXTURES } from "./harness/places";
import { session, traced } from "./harness/session";

const current = session({ driver: true });

test("the tests inside the extension host pass", { timeout: 300_000 }, (t) =>
  traced(t, current(), async () => {
    const { editor, profile } = current();
    const suite = path.join(profile.root, "suite.cjs");
    const entry = path.join(E2E, "host/suite.ts");
    const target = { bundle: true, platform: "node", format: "cjs", outfile: suite } as const;
    await esbuild.build({ ...target, entryPoints: [entry], external: ["vscode"] });
    const [extension] = profile.installed(1) ?? [];
    assert.ok(extension);
    const said: string[] = [];
    let end: (code: number) => void = () => undefined;
    const ended = new Promise<number>((resolve) => (end = resolve));
    await current().open({
      workspace: profile.workspace([path.join(FIXTURES, "small")]),
      payload: [
        ["extensionDevelopmentPath", editor.remote(extension)],
        ["extensionTestsPath", editor.remote(suite)],
      ],
      functions: {
        codeAutomationLog: (_kind: string, given: unknown[]) => said.push(format(...given)),
        codeAutomationExit: (code: number) => end(code),
      },
    });
    const code = await ended;
    said.filter((line) => /^[✔✖]/.test(line)).forEach((line) => t.diagnostic(line));
    assert.equal(code, 0, said.join("\n"));
    assert.ok(said.some((line) => line.startsWith("✔")));
  }),
);
