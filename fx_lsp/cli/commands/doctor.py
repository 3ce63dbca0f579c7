"""`fx-lsp doctor`: what holds of the sandbox on this machine, and how a folder stands.  Nothing of it is run."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import sys
from dataclasses import asdict
from typing import Any

from fx_lsp.analysis.config import Config, read_config
from fx_lsp.analysis.visible import visible
from fx_lsp.cli.commands import Command, CommandError
from fx_lsp.server.answers import described, own_cache
from fx_lsp.server.interpreter import find_interpreter
from fx_lsp.server.layers import lacking, sentence, survey
from fx_lsp.server.pythons import look_at
from fx_lsp.server.roots import root_of
from fx_lsp.server.texts import Texts
from fx_lsp.server.trust import Standing, Trust

LACKING = 1
"""Exit status when a layer of the sandbox does not hold."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Its arguments."""
    parser.add_argument("path", metavar="PATH", nargs="?", default=os.curdir, help="a folder (default: this one)")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="what is printed (default: text)")


def run(options: argparse.Namespace) -> int:
    """Look; 1 when a layer of the sandbox does not hold."""
    if not os.path.exists(options.path):
        raise CommandError(f"{options.path}: there is no such file or folder")
    trust = Trust()
    try:
        layers = asyncio.run(survey(trust.user.config))
    except OSError as error:
        raise CommandError(f"it is not known what holds of the sandbox: {error}") from None
    report = {
        "version": 1,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "kernel": platform.release(),
        "config": trust.user.path,
        "problem": trust.user.config.problem or None,
        "cache": _cache(),
        "layers": [asdict(layer) for layer in layers],
        "folder": _folder(root_of(os.path.realpath(options.path)), trust),
    }
    if options.format == "json":
        print(json.dumps(report, indent=1))
    else:
        _print(report, sentence(layers))
    return LACKING if lacking(layers) else 0


def _cache() -> dict[str, str]:
    said: list[str] = []
    cache = own_cache(said.append)
    found = described(cache) if cache is not None else ""
    return {"path": cache.path if cache is not None else "", "state": "; ".join(said) or found}


def _folder(root: str, trust: Trust) -> dict[str, Any]:
    standing = trust.of(root)
    trusted = standing is Standing.TRUSTED
    file = os.path.join(root, "pyproject.toml")
    text = Texts().read(file)
    config = read_config(file, text, trusted=trusted)[0] if text is not None else Config()
    wished = config.interpreter or trust.user.config.interpreter
    interpreter = find_interpreter(root, wished, os.environ, trusted=trusted)
    python = look_at(interpreter.path, os.environ)
    return {
        "root": root,
        "trust": standing.value,
        "interpreter": interpreter.path,
        "found": interpreter.why,
        "torch": python.version_of("torch"),
        "compiled": python.compiled("torch"),
        "ignored": [*config.restricted, *([interpreter.passed_over] if interpreter.passed_over else [])],
    }


def _print(report: dict[str, Any], lost: str) -> None:
    folder = report["folder"]
    print(f"fx-lsp in Python {report['python']} on {report['platform']}")
    print(f"your own configuration: {visible(report['config'])}{'' if os.path.exists(report['config']) else ' (none)'}")
    if report["problem"]:
        print(f"  {visible(report['problem'])}")
    print(f"kept of earlier sessions: {visible(report['cache']['path'])} ({visible(report['cache']['state'])})")
    print("\nThe sandbox, layer by layer:")
    width = max(len(layer["name"]) for layer in report["layers"])
    for layer in report["layers"]:
        why = layer["why"] or layer["protects"]
        print(f"  {layer['status']:8}{layer['name']:{width}}  {layer['stage']:9} {why}")
    print(f"{lost or 'It is whole.'}")
    print(f"\n{visible(folder['root'])}")
    print(f"  trust: {_TRUST[folder['trust']]}")
    print(f"  models run in {visible(folder['interpreter'])} (found by: {folder['found']})")
    print(f"  torch there: {folder['torch'] or 'none was found'}")
    if folder["torch"] and not folder["compiled"]:
        print(
            "  it was never imported there, so each start of a worker compiles it anew: run `import torch` there once"
        )
    if folder["ignored"]:
        print(f"  not used as long as it is not trusted: {', '.join(map(visible, folder['ignored']))}", file=sys.stdout)


_TRUST = {
    Standing.TRUSTED.value: "it is trusted by your own configuration",
    Standing.UNTRUSTED.value: "it is not trusted, so an editor runs nothing of it unless the editor says otherwise; to "
    "trust it, run `fx-lsp trust` in it",
}

COMMAND = Command("doctor", "Say what holds of the sandbox here, and how a folder stands.", configure, run)
