"""Texts in place of files, and what comes of running two versions side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Tuple

COMPARISON = 3
"""Times the limit of one run that a comparison may take: it is some twenty runs."""

MODULE = "<module>"
"""What Python calls the code of a file outside of its functions."""


@dataclass(frozen=True)
class Overlay:
    """An unsaved buffer, imported in place of the file on disk."""

    kind: ClassVar[str] = "overlay"
    path: str
    text: str


@dataclass(frozen=True)
class Comparison:
    """Whether an edit changes what an example computes."""

    kind: ClassVar[str] = "comparison"
    edited: Tuple[Overlay, ...]
    """The files that it changes, with their new texts."""
    path: str = ""
    name: str = ""
    """Class whose modules are compared, by its file and `__qualname__`; empty: the models that the example calls."""
    single: bool = False
    """Whether to compare in single precision: the code casts to it."""
    zeros: bool = False
    """Whether a gradient of 0 is the same as none."""
    function: str = ""
    """Of a program, which calls it: function of that file by its `__qualname__`, compared in place of modules; or
    `MODULE`: its statements outside of functions that are edited."""
    lines: Tuple[Tuple[int, int], ...] = ()
    """First and last line of each place of the file that is edited: those calls count that run through them."""


@dataclass(frozen=True)
class Compared:
    """What running the old and the new text side by side has shown, on real tensors with the same weights."""

    kind: ClassVar[str] = "compared"
    checks: int = 0
    """Runs that were compared: other values, masks and sizes, in `eval()` and `train()`."""
    difference: float = 0.0
    """Largest difference of outputs and gradients, relative to the largest value of each that is above one."""
    dtype: str = "f64"
    """What was computed in: `f32` where the model does not run in `f64`."""
    why: str = ""
    """What is not the same, or why that could not be found out; empty when all checks were passed."""
    keys: Tuple[str, ...] = ()
    """Entries of the state dict that only the old or only the new model has."""
    refused: str = ""
    """Why the new model does not load the state dict of the old one as it is; empty when it does."""
    runs: bool = False
    """Whether the example still runs."""
    untracked: bool = False
    """Whether gradients of the inputs are none of it: the model does not run with them."""
    rows: bool = False
    """Whether only rows of a mask that are 0 or 1 as a whole make a difference."""
