"""Files that commands write."""

from __future__ import annotations

import io
import os
import shutil
import tempfile
import tokenize

from fx_lsp.analysis.source import SourceError, decode
from fx_lsp.cli.commands import CommandError


def create(path: str, text: str) -> None:
    """Write what was asked for under a name of the user's choice.

    Raises:
        CommandError: that is not possible there.
    """
    try:
        with open(path, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise CommandError(f"{path}: it cannot be written: {error.strerror}") from error


def write(path: str, before: str, after: str) -> str:
    """Put the new text in place of the old one, in one step, in its encoding and with its newlines; why not, else empty
    text."""
    try:
        with open(path, "rb") as file:
            data = file.read()
        if decode(data) != before:
            return f"{path}: the file was changed meanwhile, and is left as it is"
        if not os.stat(path).st_mode & 0o222:
            return f"{path}: it is read-only, and is left as it is"
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        new = after.encode(encoding)
        handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".fx-lsp-")
        try:
            with open(handle, "wb") as file:
                file.write(new)
                file.flush()
                os.fsync(file.fileno())
            shutil.copymode(path, temporary)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except (OSError, SourceError, UnicodeEncodeError) as error:
        return f"{path}: it was not written: {error}"
    return ""
