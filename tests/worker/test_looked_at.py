"""What a run looks at besides the files that it imports, and what it would have imported."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fx_lsp.model.messages import TraceReply
from tests.worker.tracing import trace

HEAD = "import torch, os, io, json, pathlib\n"
USE = "def f(x):\n    use()\n    return x\n"


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a run works."""
    monkeypatch.chdir(tmp_path)


def run(folder: Path, use: str, **more: str) -> TraceReply:
    """Of a function that does this."""
    files = {"data/a.json": "[1]", "data/b.txt": "1", ".venv/lib/site-packages/there.txt": "1", **more}
    reply = trace(folder, f"{HEAD}def use():\n    {use}\n{USE}", "f(f32[2])", files=files)
    assert reply.failure is None, reply.failure.detail
    return reply


def looked_at(folder: Path, use: str) -> list[str]:
    """By name below the folder; without what it takes to find out the name of the module."""
    found = [os.path.relpath(path, folder) + "/" * path.endswith("/") for path in run(folder, use).data]
    assert "__init__.py" in found
    return [name for name in found if name != "__init__.py"]


@pytest.mark.parametrize(
    ("use", "found"),
    [
        ("json.load(open('data/a.json'))", ["data/a.json"]),
        ("io.open(os.path.abspath('data/a.json'), 'rb').read()", ["data/a.json"]),
        ("pathlib.Path(__file__).parent.joinpath('data', 'a.json').read_text()", ["data/a.json"]),
        ("os.close(os.open(b'data/b.txt', os.O_RDONLY))", ["data/b.txt"]),
        ("assert not os.path.exists('data/no.txt')", ["data/no.txt"]),
        ("assert not pathlib.Path('no').is_dir()", ["no"]),
        ("os.listdir('data')", ["data/"]),
        ("list(pathlib.Path('data').glob('*.json'))", ["data/"]),
        ("os.listdir()", ["./"]),
        ("[os.path.exists(one) for one in (3, 'a' * 5000)]; open('data/b.txt').fileno()", ["data/b.txt"]),
        ("open('.venv/lib/site-packages/there.txt'), open(os.devnull), os.stat('/')", []),
        ("open('model.py').read()", []),
        ("pass", []),
    ],
)
def test_files_that_are_read(tmp_path: Path, use: str, found: list[str]) -> None:
    assert [one for one in looked_at(tmp_path, use) if one != "data" or found == ["data"]] == found


@pytest.mark.parametrize(
    ("use", "absent"),
    [
        ("import wave", ["wave"]),
        ("import wave, helper", ["wave"]),
        ("import importlib; importlib.util.find_spec('there_is_none')", ["there_is_none"]),
        ("import package.inner; importlib = __import__('importlib'); importlib.util.find_spec('package.none')",
         ["package/none"]),
    ],
)  # fmt: skip
def test_modules_that_are_not_there(tmp_path: Path, use: str, absent: list[str]) -> None:
    reply = run(tmp_path, use, **{"helper.py": "", "package/__init__.py": "", "package/inner.py": ""})
    found = [os.path.relpath(path, tmp_path) for path in reply.absent]
    assert set(absent) <= set(found)
    assert not {"helper", "package", "package/inner", "model"} & set(found)


def test_functions_stay_what_they_are(tmp_path: Path) -> None:
    """Also where a class has one, where it is copied, and where it is asked about."""
    use = "; ".join(
        [
            "import copy",
            "box = type('Box', (), {'open': open, 'stat': os.stat})()",
            "assert box.open('data/b.txt').read() == '1'",
            "assert box.stat('data').st_mode",
            "assert copy.deepcopy(open) is open is io.open",
            "assert open.__name__ == 'open' and callable(os.listdir)",
        ]
    )
    assert run(tmp_path, use).data
