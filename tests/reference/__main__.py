"""Prints what an example binds: `python -m tests.reference ROOT SCOPE CALL [SETUP]`."""

from __future__ import annotations

import sys

from tests.reference.batch import run_examples


def main() -> int:
    root, scope, call, *setup = sys.argv[1:]
    (run,) = run_examples(root, [{"scope": scope, "call": call, "setup": "".join(setup)}])
    for binding in run["bindings"]:
        when = "forward" if binding["forward"] else "build"
        place = f"{binding['path']}:{binding['line']}:{binding['column']}"
        print(f"{place:<40} {when:<8} {binding['name']}: {' | '.join(binding['shapes'])}")
    if run["error"]:
        print(run["error"], file=sys.stderr)
    return 1 if run["error"] else 0


if __name__ == "__main__":
    sys.exit(main())
