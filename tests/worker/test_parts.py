"""A file in parts is the file: whatever an edit does, as when all of it is made anew."""

from __future__ import annotations

import random
import textwrap
from collections.abc import Iterator
from types import CodeType

import pytest

from fx_lsp.worker.capture.parts import Parts, edited, instrument
from fx_lsp.worker.capture.sites import Sites

SOURCE = textwrap.dedent('''\
    """What the file is for."""

    from __future__ import annotations

    import torch
    from torch import nn

    WIDTH = 8; "not the docstring"
    "nor is this"


    @torch.no_grad()
    def made(x: torch.Tensor) -> torch.Tensor:
        """Makes."""
        y = x + 1
        return y


    class Net(nn.Module):
        """A net."""

        def forward(self, x):
            if x.dim() > 2:
                x = x.flatten(1)
            else:
                x = made(x)
            return [h for h in x]


    if WIDTH:
        net = Net()
    else:
        net = None
    names: dict[str, int] = {}


    def last(a, *b):
        text = f"""
    {a}
    """
        return lambda z: (a, b, z, text)
    ''')
EDITS = (
    "", "    x = 1", "x = 1", "else:", "    else:", "@made",
    '"""', "(", ")", "class A:", "    def f(self): return self",
    "# note", "\\", "from __future__ import generator_stop", "x = [", "if x:", "async def g(): await 1",
)  # fmt: skip


def described(parts: Parts, sites: Sites) -> list[object]:
    """All that a run of it would show, whatever the parts are."""
    bound = [sites.bindings[number] for part in parts.parts for number in part.bindings]
    blocks = [sites.blocks[number] for part in parts.parts for number in part.blocks]
    return [
        *sorted((site.span, site.name) for site in bound),
        *sorted((block.lines, sites.blocks[block.entry].lines) for block in blocks),
        *(one for part in parts.parts for one in functions(part.code)),
    ]


def functions(code: CodeType) -> Iterator[object]:
    """Those inside it, and what they say of themselves."""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield inner.co_name, inner.co_firstlineno, inner.co_flags, inner.co_varnames, inner.co_code[::2]
            yield [place for place in inner.co_positions() if place[3]]
            yield from functions(inner)


def anew(source: str) -> list[object] | None:
    sites = Sites()
    try:
        return described(instrument(source, "a.py", sites), sites)
    except SyntaxError:
        return None


def changed(source: str, chance: random.Random) -> str:
    lines = source.split("\n")
    first = chance.randrange(len(lines))
    lines[first : first + chance.choice((0, 0, 1, 1, 2, 5))] = chance.sample(EDITS, chance.choice((0, 1, 1, 2)))
    return "\n".join(lines)


@pytest.mark.parametrize("seed", range(200))
def test_an_edited_file_is_as_if_made_anew(seed: int) -> None:
    chance = random.Random(seed)
    sites = Sites()
    parts = instrument(SOURCE, "a.py", sites)
    for _ in range(3):
        source = changed(parts.source, chance)
        expected = anew(source)
        if expected is None:
            with pytest.raises(SyntaxError):
                edited(parts, source, "a.py", sites)
        else:
            parts = edited(parts, source, "a.py", sites)
            assert parts.source == source
            assert described(parts, sites) == expected


def test_what_an_edit_leaves_alone_is_not_made_again() -> None:
    sites = Sites()
    parts = instrument(SOURCE, "a.py", sites)
    again = edited(parts, SOURCE.replace("x.flatten(1)", "x.flatten(2)"), "a.py", sites)
    same = [one.code is other.code for one, other in zip(parts.parts, again.parts, strict=True)]
    assert same.count(False) == 1


def test_it_runs_as_one_file() -> None:
    parts = instrument("import builtins\n" + SOURCE.split("\n\n", 2)[2], "a.py", Sites())
    assert parts.parts[0].line == 1
    space: dict[str, object] = {"__name__": "a", "__fx_bind__": lambda site, value: value}
    for code in (part.code for part in parts.parts):
        exec(code, space)
    assert space["names"] == {}
    assert "__doc__" not in space


@pytest.mark.parametrize("text", ["x = 1\nfrom __future__ import annotations\n", "from __future__ import nothing\n"])
def test_a_future_that_is_not_there_is_an_error(text: str) -> None:
    with pytest.raises(SyntaxError):
        instrument(text, "a.py", Sites())


def test_line_ends_of_another_system() -> None:
    sites = Sites()
    parts = instrument(SOURCE, "a.py", sites)
    again = edited(parts, SOURCE.replace("\n", "\r\n").replace("flatten(1)", "flatten(2)"), "a.py", sites)
    assert sum(one.code is other.code for one, other in zip(parts.parts, again.parts, strict=True)) > 1
