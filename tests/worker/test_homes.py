"""What code makes and writes in its home when it is imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CODE = """
import builtins, ctypes.util, io, logging, os, shutil, sys, tempfile
from pathlib import Path
def refused(path, mode=0o777, *, dir_fd=None):
    raise PermissionError(13, "Permission denied", path)
os.mkdir = refused
plain = open
def unwritable(file, mode="r", *args, **kwargs):
    if set(mode) & set("wax") and str(file) != os.devnull:
        raise PermissionError(13, "Permission denied", file)
    return plain(file, mode, *args, **kwargs)
builtins.open = io.open = unwritable
take = os.open
def untaken(path, flags, *args, **kwargs):
    if flags & (os.O_WRONLY | os.O_RDWR) and path != os.devnull:
        raise PermissionError(13, "Permission denied", path)
    return take(path, flags, *args, **kwargs)
os.open = untaken
from fx_lsp.worker import homes
home, other = sys.argv[1:]
homes.pretend(home)
tempfile.tempdir = home
Path(home, "a", "b").mkdir(parents=True, exist_ok=True)
os.makedirs(os.path.join(home, "c", "d"), exist_ok=True)
with tempfile.TemporaryDirectory():
    pass
with tempfile.TemporaryFile() as file:
    file.write(b"bytes")
with tempfile.NamedTemporaryFile(delete=False) as file:
    file.write(b"bytes")
with tempfile.NamedTemporaryFile() as gone:
    gone.write(b"bytes")
os.replace(file.name, os.path.join(home, "kept"))
shutil.which = lambda name: os.path.join(other, name)
print(ctypes.util.find_library("no_such_library"))
print(os.listdir(home))
logging.FileHandler(os.path.join(home, "a", "log")).close()
print(Path(home, "a", "settings").write_text("text"))
try:
    open(os.path.join(home, "a", "settings"))
except FileNotFoundError as error:
    print(type(error).__name__)
try:
    open(os.path.join(other, "settings"), "w")
except PermissionError as error:
    print(type(error).__name__)
try:
    open(os.path.join(other, "settings"))
except FileNotFoundError as error:
    print(type(error).__name__)
for moved in ((os.path.join(other, "x"), os.path.join(home, "x")), (file.name, os.path.join(other, "x"))):
    try:
        os.rename(*moved)
    except FileNotFoundError:
        print("not moved")
for path in (os.path.join(other, "x"), os.path.join(home, "..", "x"), home + "x"):
    try:
        os.mkdir(path)
    except PermissionError:
        print("refused")
"""


def test_what_is_made_and_written_in_the_home_goes_nowhere_and_nothing_else_does(tmp_path: Path) -> None:
    home, other = tmp_path / "home", tmp_path / "other"
    home.mkdir()
    other.mkdir()
    command = [sys.executable, "-c", CODE, str(home), str(other)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")
    assert said[:-1] == [
        "None",
        "[]",
        "4",
        "FileNotFoundError",
        "PermissionError",
        "FileNotFoundError",
        "not moved",
        "not moved",
        "refused",
        "refused",
        "refused",
    ]
    assert tmp_path.joinpath("x").exists() is False
