/** Runs test files, and those that failed once more: a test that passes then is flaky, which is said aloud. */

/** What came of a file. */
export type Outcome = "passed" | "flaky" | "failed";

/** Run each file, at most twice; `run` tells whether it passed, `say` what is to be read by people. */
export async function twice(
  files: readonly string[],
  run: (file: string) => Promise<boolean>,
  say: (line: string) => void,
): Promise<ReadonlyMap<string, Outcome>> {
  const outcomes = new Map<string, Outcome>();
  for (const file of files) {
    if (await run(file)) {
      outcomes.set(file, "passed");
      continue;
    }
    say(`\n!!! ${file} failed. It runs once more, in a fresh VS Code.\n`);
    outcomes.set(file, (await run(file)) ? "flaky" : "failed");
  }
  for (const [file, outcome] of outcomes) {
    if (outcome === "flaky") {
      say(`!!! FLAKY: ${file} failed and then passed. What failed is above; mend the test or what it tests.`);
    } else if (outcome === "failed") {
      say(`!!! FAILED twice: ${file}`);
    }
  }
  return outcomes;
}
