"""How many models that could be written better get the rewrite or the warning that says so, and how many that could
not get none.

    python bench/offers.py              every set of bench/rewritten/
    python bench/offers.py first        one of them
    python bench/offers.py first BIAS   those of it whose file or rules contain one of the words

A set is a folder of small models, each with a call, and a list of what is to be found: `rules` that ought to be offered
at a model, one of them is enough, or that `never` may be.  `attention-by-hand is_causal` is a rule with a word of its
title.  What the product finds, tries and does not keep is no offer.  Written by others who had not seen the product:
what one detail makes wrong stands beside what looks the same.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

SETS = Path(__file__).resolve().parent / "rewritten"
MIN_OFFERED = 0.9


def main() -> int:
    """The exit status: 1 below the bar, or where one is offered that may not be."""
    name, *words = sys.argv[1:] or [""]
    offered = wanted = wrong = forbidden = 0
    for listed in sorted(SETS.glob(f"{name or '*'}.toml")):
        cases = tomllib.loads(listed.read_text())["case"]
        said = _said(listed.with_suffix(""))
        print(listed.stem)
        for case in cases:
            rules = case.get("rules") or case["never"]
            if words and not any(word in " ".join((case["file"], *rules)) for word in words):
                continue
            found = [one for one in rules if _is_said(one, said.get(case["file"], []))]
            if "rules" in case:
                wanted, offered = wanted + 1, offered + bool(found)
            else:
                forbidden, wrong = forbidden + 1, wrong + bool(found)
            if bool(found) != ("rules" in case):
                print(f"  {case['file']}: {'WRONG: ' + found[0] if found else 'nothing'}: {case['what']}")
    print(f"{offered} of {wanted} found ({offered / max(wanted, 1):.1%}), {wrong} of {forbidden} near misses offered")
    return int(offered < MIN_OFFERED * wanted or wrong > 0)


def _said(folder: Path) -> dict[str, list[str]]:
    """Rules with their titles, and codes of what is warned of, by file."""
    found: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as made:
        copy = shutil.copytree(folder, Path(made) / folder.name)
        rewrites = _run(copy, "rewrite", "--unsafe", "--diff").stderr
        for file, rule, title in re.findall(r"(?m)^([\w.]+):\d+: ([\w-]+): (.*)$", rewrites):
            if not title.startswith("not done"):
                found.setdefault(file, []).append(f"{rule} {title}")
        for one in json.loads(_run(copy, "check", "--format", "json").stdout)["files"]:
            codes: list[dict[str, Any]] = one["diagnostics"]
            found.setdefault(one["path"], []).extend(code["code"] for code in codes)
    return found


def _run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    arguments = [sys.executable, "-m", "fx_lsp.cli", *command, "--trust", "--no-cache", "."]
    return subprocess.run(arguments, cwd=folder, text=True, capture_output=True, check=False)


def _is_said(rule: str, said: list[str]) -> bool:
    name, *words = rule.split()
    return any(one.split()[0] == name and all(word in one for word in words) for one in said)


if __name__ == "__main__":
    sys.exit(main())
