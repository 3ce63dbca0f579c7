"""What a worker may do, and what holds it to that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Tuple

VARIABLES = frozenset(
    {
        *("LANG", "LANGUAGE", "TZ", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"),
        *("CUDA_HOME", "CUDA_PATH", "PYTHONPATH", "VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV"),
        *("SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "PROGRAMDATA", "PROGRAMFILES"),
        *("NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE", "TRANSFORMERS_CACHE"),
    }
)
"""What a worker may know of the environment: how the system works, where packages are, where models are cached."""


@dataclass(frozen=True)
class Policy:
    """What one worker is allowed.  Whatever is not named here is forbidden, as far as the layers reach.

    Paths are real ones: what turns out to be a link, or to lie behind one, is not opened.
    """

    kind: ClassVar[str] = "policy"
    read: Tuple[str, ...] = ()
    """Files, and folders with everything below them, that may be read."""
    names: Tuple[str, ...] = ()
    """Folders whose entries, and those of the folders in them, may be listed, no more."""
    execute: Tuple[str, ...] = ()
    """Files and folders that may be executed before user code is loaded; after that nothing may."""
    home: str = ""
    """Stands for HOME and every temporary folder; it exists, and user code cannot write in it."""
    memory: int = 4 << 30
    """Bytes of data that a trace may hold beyond what it was forked with."""
    seconds: float = 20.0
    """Longest wall-clock limit of a trace."""
    off: Tuple[str, ...] = ()
    """Names of layers that are left out."""
    bubblewrap: bool = False
    """Whether the worker runs in bubblewrap as well, where that is installed."""


@dataclass(frozen=True)
class LayerReport:
    """Whether a layer of the sandbox holds."""

    kind: ClassVar[str] = "layer"
    name: str
    stage: str
    """`launcher`, `zygote` or `child`: the process that applies it to itself, for all that it starts."""
    status: str
    """`active`, `missing` or `off`."""
    why: str = ""
    """Why it is missing or off; for an active one a detail such as `ABI 7`."""
    protects: str = ""
    """What it keeps from happening, in one sentence."""
