"""A workspace that is opened again: its hints are there before there is a worker, and they are those of its files."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from fx_lsp.server.cache import NAME
from tests.e2e.conftest import Start
from tests.e2e.editor import Editor
from tests.e2e.sources import NET, NET_HINTS, model
from tests.e2e.test_inferred import HINTS as INVENTED_HINTS
from tests.e2e.test_inferred import MODEL as INVENTED

pytestmark = pytest.mark.asyncio

INVENTED_NAMED = [line.replace("2, 16", "B, T") for line in INVENTED_HINTS]
"""Once its dims have names, which is when there is nothing else to do."""
READY = "worker ready"
BROKEN = {"XDG_CACHE_HOME": os.devnull}


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Of a user with a cache of their own."""
    return {"XDG_CACHE_HOME": str(tmp_path / "cache")}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "workspace").mkdir()
    return tmp_path / "workspace"


def starts(editor: Editor) -> int:
    """How often a worker got ready, by the log."""
    return sum(READY in entry.message for entry in editor.client.log_messages)


async def test_hints_of_files_that_have_not_changed(start: Start, root: Path, environment: dict[str, str]) -> None:
    """Some are stated, some were invented: nothing is run, or searched, or waited for."""
    first = await start(root=root, environment=environment)
    await first.open("net.py", NET)
    await first.open("invented.py", INVENTED)
    assert await first.hints("net.py") == NET_HINTS
    await first.until_hints("invented.py", INVENTED_NAMED)  # else the second one has something to do, too
    assert await first.stop() == 0
    second = await start(root=root, environment=environment)
    await second.open("net.py")
    await second.open("invented.py")
    assert starts(second) == 0, "the hints waited for a worker"
    assert await second.hints("net.py") == NET_HINTS
    assert await second.hints("invented.py") == INVENTED_NAMED
    assert second.problems("net.py") == []
    await second.edit("net.py", "8, 4", "8, 16")
    assert await second.hints("net.py") == [line.replace("2, 4", "2, 16") for line in NET_HINTS]
    assert starts(second) == 1


async def test_files_that_have_changed_meanwhile(start: Start, root: Path, environment: dict[str, str]) -> None:
    """One that is imported, and one that is read as data."""
    head = "import json, os\nfrom helper import widen\nHERE = os.path.dirname(__file__)"
    body = "n = json.load(open(os.path.join(HERE, 'size.json')))\ny = widen(x, n)\nreturn y"
    for name, text in (("helper.py", "def widen(x, n):\n    return x.repeat(1, n)\n"), ("size.json", "2")):
        (root / name).write_text(text)

    async def shown() -> str:
        editor = await start(root=root, environment=environment)
        await editor.open("net.py", model(body, head=head))
        hints = await editor.hints("net.py")
        assert await editor.stop() == 0
        return hints[1]

    assert await shown() == "y⟦: f32[2, 16]⟧ = widen(x, n)"
    (root / "size.json").write_text("3")
    assert await shown() == "y⟦: f32[2, 24]⟧ = widen(x, n)"
    (root / "helper.py").write_text("def widen(x, n):\n    return x.repeat(n, n)\n")
    assert await shown() == "y⟦: f32[6, 24]⟧ = widen(x, n)"
    (root / "size.json").write_text("2")
    assert await shown() == "y⟦: f32[4, 16]⟧ = widen(x, n)"


async def test_two_servers_on_one_workspace(start: Start, root: Path, environment: dict[str, str]) -> None:
    editors = [await start(root=root, environment=environment) for _ in range(2)]
    for editor in editors:
        await editor.open("net.py", NET)
    for size in (16, 32):
        for editor in editors:
            await editor.replace("net.py", NET.replace("8, 4", f"8, {size}"))
            assert await editor.hints("net.py") == [line.replace("2, 4", f"2, {size}") for line in NET_HINTS]
    for editor in editors:
        assert await editor.stop() == 0
        assert not [entry for entry in editor.client.log_messages if NAME in entry.message]


async def test_no_place_for_it_is_said_once(start: Start, root: Path) -> None:
    editor = await start(root=root, environment=BROKEN)
    for name in ("one.py", "two.py"):
        await editor.open(name, NET)
        assert await editor.hints(name) == NET_HINTS
    assert await editor.stop() == 0
    said = [entry.message for entry in editor.client.log_messages if NAME in entry.message]
    assert len(said) == 1, said


async def test_a_model_does_not_reach_it(start: Start, root: Path, environment: dict[str, str], tmp_path: Path) -> None:
    """Neither its entries nor a way to write some; the file is that of the session before, and stays."""
    first = await start(root=root, environment=environment)
    await first.open("net.py", NET)
    assert await first.stop() == 0
    file = tmp_path / "cache" / "fx-lsp" / "answers" / NAME
    before = file.read_bytes()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    tries = [
        f"open({str(file)!r}, 'rb')",
        f"open({str(file)!r}, 'r+b')",
        f"open({str(file) + '-journal'!r}, 'wb')",
        f"os.listdir({str(file.parent)!r})",
        f"os.replace({str(root / 'net.py')!r}, {str(file)!r})",
    ]
    head = "import os\nREACHED = 0"
    body = ["global REACHED"]
    for one in tries:
        body += ["try:", f"    {one}", "    REACHED += 1", "except OSError:", "    pass"]
    second = await start(root=root, environment=environment)
    await second.open("spy.py", model("\n".join([*body, "y = x.new_zeros(REACHED + 1)", "return y"]), head=head))
    assert "y⟦: f32[1]⟧ = x.new_zeros(REACHED + 1)" in await second.hints("spy.py")
    assert before[:16] == file.read_bytes()[:16]
