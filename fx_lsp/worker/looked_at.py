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
_LISTING = ("pathlib.py", "_local.py", "_abc.py", "glob.py", "os.py", "<frozen os>", "fnmatch.py")
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
        os.open, os.stat = _Noting(os.open, self.note), _Noting(os.stat, self.note, self.asked)  # type: ignore[assignment]
        for name in ("listdir", "scandir"):
            setattr(os, name, _Noting(getattr(os, name), self.listed, self.unlisted))

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

    def listed(self, path: Any) -> None:
        """A folder whose entries are asked for."""
        self.note(path, listed=True)

    def unlisted(self, asking: FrameType) -> None:
        """That was in vain."""
        self.in_vain |= self._is_for_us(asking)

    def asked(self, asking: FrameType) -> None:
        """Something is not there, as `Path.glob` finds out before it lists a folder."""
        above = asking.f_back
        if above is not None and above.f_code.co_name == "is_dir" and above.f_back is not None:
            globs = above.f_back.f_code.co_filename == above.f_code.co_filename
            self.in_vain |= globs and self._is_for_us(above)

    def _is_for_us(self, frame: Optional[FrameType]) -> bool:
        """Whether the workspace's own code asked for it, perhaps through what Python has for that."""
        while frame is not None and os.path.basename(frame.f_code.co_filename) in _LISTING:
            frame = frame.f_back
        return frame is not None and self._is_ours(frame.f_code.co_filename)

    def note(self, path: Any, listed: bool = False) -> None:
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

    def __init__(
        self,
        function: Callable[..., Any],
        note: Callable[[Any], None],
        failed: Callable[[FrameType], None] = lambda asking: None,
    ) -> None:
        """`failed` is given the frame that called in vain."""
        self.__wrapped__, self._note, self._failed = function, note, failed

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self._note(args[0] if args else kwargs.get("path", kwargs.get("file")))
        try:
            return self.__wrapped__(*args, **kwargs)
        except OSError:
            self._failed(sys._getframe(1))
            raise

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__wrapped__, name)

    def __reduce__(self) -> str:
        return self.__wrapped__.__name__  # a copy is the same one
