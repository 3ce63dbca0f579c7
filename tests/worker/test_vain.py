"""Classes that were watched in vain are known to later runs, as long as what spoke against them is the same."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from torch import nn

from fx_lsp.model.messages import MAX_VAIN
from fx_lsp.worker.repeats.effects import Watch
from fx_lsp.worker.repeats.vain import MAX_KEPT, Digests, Vain
from tests.worker.leaving import Leaving, facts

CACHED = """\
def helper(x):
    return x.relu()

class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 8)

    def forward(self, x):
        return helper(self.fc(x))

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def forward(self, x, cache):
        y = self.inner(x) + 1
        cache.append(y)
        return y

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block() for _ in range(6)])

    def forward(self, x):
        cache = []
        for block in self.blocks:
            x = block(x, cache)
        return x
"""


@pytest.fixture
def learnt(monkeypatch: pytest.MonkeyPatch) -> Vain:
    """What the children that are forked from here know."""
    known = Vain()
    monkeypatch.setattr("fx_lsp.worker.repeats.vain.VAIN", known)
    return known


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Called after a run: how many modules it watched."""
    log = tmp_path / "watched"

    def counted(self: Any, begin: Any = Watch.begin) -> Any:
        with log.open("a") as lines:
            lines.write("x")
        return begin(self)

    monkeypatch.setattr(Watch, "begin", counted)

    def count() -> int:
        found = log.read_text() if log.exists() else ""
        log.write_text("")
        return len(found)

    return count


def test_the_second_run_does_not_watch_it(left_out: Leaving, learnt: Vain, watched: Any) -> None:
    first, paths = left_out(CACHED, "Net()(f32[2, 8])")
    assert first.failure is None, first.failure.detail
    assert len(first.vain.splitlines()) == 1
    before = watched()
    learnt.want(first.vain)
    second, again = left_out(CACHED, "Net()(f32[2, 8])")
    assert (watched(), before) == (2, 4)
    assert facts(second) == facts(first)
    assert again == paths
    assert second.vain == ""


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        pytest.param("+ 1\n", "+ 2\n", True, id="another number"),
        pytest.param("def helper", "\n\n# more\ndef helper", True, id="lines above"),
        pytest.param("cache.append(y)", "cache.append(y.T)", False, id="the function that appends"),
        pytest.param("Inner", "Within", False, id="another class below it"),
        pytest.param("helper(self.fc(x))", "helper(self.fc(x)).abs()", True, id="a class below it"),
        pytest.param("x.relu()", "F.gelu(x)", True, id="a function beside it"),
    ],
)
def test_whose_code_is_the_same(old: str, new: str, same: bool, left_out: Leaving) -> None:
    before = left_out(CACHED, "Net()(f32[2, 8])")[0].vain
    after = left_out(CACHED.replace(old, new), "Net()(f32[2, 8])")[0].vain
    assert before
    assert after
    assert (before == after) is same


@pytest.fixture
def block(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], nn.Module]:
    """A `Block` of a file with this text."""

    def made(text: str) -> nn.Module:
        file = ModuleType("edited")
        monkeypatch.setitem(sys.modules, "edited", file)
        file.__dict__.update(nn=nn, F=nn.functional)
        exec(text, file.__dict__)
        return file.__dict__["Block"]()

    return made


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("cache.append(y)", "cache.append(y.T)"),
        ("helper(self.fc(x))", "helper(self.fc(x)).abs()"),
        ("x.relu()", "F.gelu(x)"),
    ],
)
def test_where_no_single_function_spoke_against_it_all_have_to_be_the_same(
    old: str, new: str, learnt: Vain, block: Callable[[str], nn.Module]
) -> None:
    told = Digests()
    told.tell(block(CACHED), ())
    learnt.want(told.text())
    assert Digests().known(block(CACHED.replace("+ 1\n", "+ 2\n")))
    assert not Digests().known(block(CACHED.replace(old, new)))


def test_what_was_watched_in_vain_once_may_be_worth_it_later(left_out: Leaving, learnt: Vain) -> None:
    learnt.want(left_out(CACHED, "Net()(f32[2, 8])")[0].vain)
    mended = CACHED.replace("        cache.append(y)\n", "")
    assert "blocks.3" in left_out(mended, "Net()(f32[2, 8])")[1]


def test_what_is_kept_is_bounded() -> None:
    known = Vain()
    known.want("x" * (MAX_VAIN + 1))
    known.want("")
    assert known.made == 0
    for number in range(2 * MAX_KEPT):
        known.want(f"{number:08x}\n{number:08x}")
    assert known.made == 2 * MAX_KEPT
    assert f"{MAX_KEPT - 1:08x}" not in known
    assert f"{MAX_KEPT:08x}" in known


def test_no_code_of_the_users_runs_to_tell(left_out: Leaving) -> None:
    odd = CACHED.replace(
        "class Net",
        """class Trap:
    def __getattribute__(self, name):
        SEEN.append(name)
        raise SystemExit(name)

trap = Trap()
Block.trap, Inner.trap = trap, trap

class Net""",
    )
    reply, _ = left_out(odd, "Net()(f32[2, 8])")
    assert reply.failure is None, reply.failure.detail
    assert reply.vain
