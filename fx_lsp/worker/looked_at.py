"""Which files of the workspace a run looks at besides those it imports: its answer depends on them as well.

Functions are replaced instead of listening to audit events: a hook would be called for every frame that torch looks at.
"""

from __future__ import annotations

import builtins
import io
import os
import sys
from types import FrameType
from typing import Any, Callable, Dict, Optional, Sequence, Set, Tuple

from fx_lsp.model.messages import MODULE_FILES

MAX_PATHS = 2000
_LISTING = ("looked_at.py", "pathlib.py", "_local.py", "_abc.py", "glob.py", "os.py", "<frozen os>", "fnmatch.py")
LONGEST = 4096
"""Characters of a path that there can be."""


class LookedAt:
    """Notes what is opened, asked for and listed below the workspace, whether it is there or not."""

    def __init__(self, is_ours: Callable[[str], bool]) -> None:
        """`is_ours` tells whether a path is the workspace's own."""
        self.data: Set[str] = set()
        """Files and folders; one whose entries were listed ends with a separator."""
        self._absent: Set[str] = set()
        self._is_ours = is_ours
        self._seen: Dict[Tuple[str, str, bool], None] = {}
        self.in_vain = False
        """Whether a folder could not be listed: who looks for data in it finds none."""

    @property
    def absent(self) -> Tuple[str, ...]:
        """Modules, as paths without a suffix, that would have been imported in place of those of others."""
        return tuple(sorted(self._absent))

    def install(self) -> None:
        """Listen from now on, in this process."""
        builtins.open = io.open = _Noting(io.open, self.note)  # type: ignore[assignment]
        for name, note in (
            ("open", self.note),
            ("stat", self.asked),
            ("listdir", self.listed),
            ("scandir", self.listed),
        ):
            setattr(os, name, _Noting(getattr(os, name), note))

    def note_import(self, name: str, folders: Sequence[str]) -> None:
        """A module was looked for in `folders`, and is none of the workspace's."""
        for folder in folders:
            path = os.path.join(os.path.realpath(folder or os.curdir), name.rpartition(".")[2])
            there = any(os.access(path + suffix, os.F_OK) for suffix in MODULE_FILES)
            if len(self._absent) < MAX_PATHS and not there and self._is_ours(path):
                self._absent.add(path)

    def besides(self, imported: Sequence[str]) -> Tuple[str, ...]:
        """What was looked at and is none of the files `imported`."""
        return tuple(sorted(self.data.difference(imported)))

    def listed(self, path: Any, failed: bool) -> None:
        """A folder whose entries are asked for, or were in vain."""
        self.in_vain |= failed and self._is_for_us(sys._getframe(2))
        self.note(path, failed, listed=True)

    def asked(self, path: Any, failed: bool) -> None:
        """Something of which it is asked whether it is there; by `Path.glob` before it lists a folder."""
        asking = sys._getframe(3) if failed else None
        if asking is not None and asking.f_code.co_name == "is_dir" and asking.f_back is not None:
            globs = asking.f_back.f_code.co_filename == asking.f_code.co_filename
            self.in_vain |= globs and self._is_for_us(asking)
        self.note(path, failed)

    def _is_for_us(self, frame: Optional[FrameType]) -> bool:
        """Whether the workspace's own code asked for it, perhaps through what Python has for that."""
        while frame is not None and os.path.basename(frame.f_code.co_filename) in _LISTING:
            frame = frame.f_back
        return frame is not None and self._is_ours(frame.f_code.co_filename)

    def note(self, path: Any, failed: bool, listed: bool = False) -> None:
        """A path that a function was called with; whatever is none is left to the function."""
        if isinstance(path, int) or len(self._seen) >= MAX_PATHS * 10:
            return
        try:
            text = os.fsdecode(path if path is not None else os.curdir)
            seen = (text, "" if os.path.isabs(text) else os.getcwd(), listed)
            if seen in self._seen or len(text) > LONGEST:
                return
            self._seen[seen] = None
            real = os.path.realpath(text)
        except (TypeError, ValueError, OSError):
            return
        if len(self.data) < MAX_PATHS and self._is_ours(os.path.join(real, "any") if listed else real):
            self.data.add(os.path.join(real, "") if listed else real)


class _Noting:
    """Calls a function of the standard library.  Like that, and unlike a function of Python, it is never a method."""

    def __init__(self, function: Callable[..., Any], note: Callable[[Any, bool], None]) -> None:
        self.__wrapped__, self._note = function, note

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        path = args[0] if args else kwargs.get("path", kwargs.get("file"))
        self._note(path, False)
        try:
            return self.__wrapped__(*args, **kwargs)
        except OSError:
            self._note(path, True)
            raise

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__wrapped__, name)

    def __reduce__(self) -> str:
        return self.__wrapped__.__name__  # a copy is the same one
