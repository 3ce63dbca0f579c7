/** Chooses the interpreter that runs the server: the first candidate that is new enough. */

import type { Candidate } from "./candidates";
import { isNewEnough, OLDEST, type Answer } from "./version";

/** What came of the search. */
export interface Choice {
  readonly chosen: Candidate | undefined;
  /** The ones looked at before, each with the reason against it, as a sentence's rest: `/usr/bin/python3 is 3.9`. */
  readonly rejected: readonly string[];
}

/** `ask` runs an interpreter for its version. */
export async function choose(among: readonly Candidate[], ask: (python: string) => Promise<Answer>): Promise<Choice> {
  const rejected: string[] = [];
  for (const candidate of among) {
    const { problem } = candidate;
    const answer = problem === undefined ? await ask(candidate.path) : { problem };
    if ("problem" in answer) {
      rejected.push(`${candidate.path} (${candidate.why}) ${answer.problem}`);
    } else if (!isNewEnough(answer.version)) {
      rejected.push(`${candidate.path} (${candidate.why}) is Python ${answer.version.join(".")}`);
    } else {
      return { chosen: candidate, rejected };
    }
  }
  return { chosen: undefined, rejected };
}

/** For the user, when none could be chosen. */
export function noInterpreter({ rejected }: Choice, trusted: boolean): string {
  const needed = `FX needs Python ${OLDEST.join(".")} or newer to run its server; your models may use another one.`;
  const looked = rejected.length > 0 ? `Not usable: ${rejected.join("; ")}.` : "No Python was found.";
  const hint = trusted ? "" : " As long as the workspace is not trusted, environments inside it are not looked at.";
  return `${needed} ${looked} Name one in the setting fx-lsp.serverInterpreter.${hint}`;
}
