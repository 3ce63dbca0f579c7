"""What workers under test may do: read the interpreter, its packages, this repository and the folders of the test."""

from __future__ import annotations

import os
import site
import sys
import sysconfig
from pathlib import Path
from typing import Any

from fx_lsp.model.sandbox import Policy

REPOSITORY = Path(__file__).parents[1]

LAYERS = (
    *("descriptors", "session", "capabilities", "limits"),
    *("landlock-base", "landlock-child", "seccomp-base", "seccomp-child"),
)
"""Layers that a Linux has, but for the environment, which keeps libraries from starting threads as well."""


def policy(folder: Path, *more: Path | str, **fields: Any) -> Policy:
    """A policy under which models in `folder` and `more` run; `fields` are those of `Policy`."""
    home = folder / ".home"
    home.mkdir(exist_ok=True)
    packages = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    read = {sys.prefix, sys.base_prefix, *packages, *site.getsitepackages(), str(REPOSITORY), str(folder)}
    read |= {str(path) for path in more}
    both = {*read, *map(os.path.realpath, read)}
    execute = {sys.executable, os.path.realpath(sys.executable)}
    given = {"read": tuple(sorted(both)), "execute": tuple(sorted(execute)), "home": str(home), **fields}
    return Policy(**given)


def unprotected(folder: Path, **fields: Any) -> Policy:
    """All layers off: what must hold even where a layer is missing."""
    return policy(folder, off=LAYERS, **fields)
