"""A pattern of axes for other dims: without one of them, with one more, or a tensor with other dims."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes.axes_pattern import axes, misfit
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._places import number
from fx_lsp.analysis.mends._shapes import grown, moved, shrunk


def propose(broken: Broken) -> Iterator[Edit]:
    """By how many dims there are."""
    shape, pattern = broken.call.shape(0, "tensor", "input"), broken.place(1, "pattern")
    text = broken.call.settings.get("pattern", broken.call.plain(1, "pattern"))
    left, _, right = text.partition("->") if isinstance(text, str) else ("", "", "")
    found, x = axes(left), broken.place(0, "tensor", "input")
    if not shape or not found:
        return
    if isinstance(pattern, ast.Constant):
        quote = broken.text(pattern)[-1:]
        yield from broken.instead(pattern, (f"{quote}{one}{quote}" for one in _patterns(found, right, len(shape))))
    yield from _of_parts(broken, found, right)
    yield from _of_layer(broken, found, shape)
    if len(found) == len(shape):
        ways = [way for way in moved(shape) if misfit(broken.call, found, way[1]) is None]
    else:
        ways = [way for way in (*grown(shape, len(found) - len(shape)), *shrunk(shape)) if len(way[1]) == len(found)]
    yield from broken.after(x, (suffix for suffix, _ in ways))


def _of_layer(broken: Broken, found: list[str], shape: tuple[int, ...]) -> Iterator[Edit]:
    """A layer made for as many times as much as the pattern takes: `nn.Linear(dim, 2 * heads * size)`."""
    x = broken.place(0, "tensor", "input")
    wrong = misfit(broken.call, found, shape) if len(found) == len(shape) else None
    if wrong is None or x is None or not wrong[3] or wrong[1] % max(wrong[2], 1):
        return
    for origin in broken.origins(x):
        size = broken.making(origin).argument(origin.output(found.index(wrong[0]) - len(found)))
        if size is not None and number(size) is None:
            text = f"{wrong[1] // wrong[2]} * {_text.alone(origin.source, size)}"
            if isinstance(size, ast.BinOp) and isinstance(size.op, ast.Mult):
                text = f"{wrong[1] // wrong[2]} * {_text.written(origin.source, size)}"
            title = f"Change {_text.title(_text.written(origin.source, size))} to {_text.title(text)}"
            yield Edit(f"{title}, line {size.lineno}", origin.source.path, _text.instead(origin.source, size, text))


def _of_parts(broken: Broken, found: list[str], right: str) -> Iterator[Edit]:
    """Sizes that are each a part of a dim of the result, divided by the other part: `h=h // p` for `(h p)`."""
    joined = [one.strip("()").split() for one in axes(right) or ()]
    partner = {first: second for pair in joined if len(pair) == 2 for first, second in (pair, pair[::-1])}
    shape = broken.call.shape(0, "tensor", "input") or ()
    wrong = misfit(broken.call, found, shape) if len(found) == len(shape) else None
    names = wrong[0].strip("()").split() if wrong is not None else []
    sizes = {name: broken.place(-1, name) for name in (*names, *(partner.get(one, "") for one in names))}
    changes = [(broken.source.span(own), f"{broken.alone(own)} // {broken.alone(other)}") for name in names
               if (own := sizes[name]) is not None and (other := sizes[partner.get(name, "")]) is not None]  # fmt: skip
    if changes and len(changes) == len(names):
        texts = " and ".join(_text.title(text) for _, text in changes)
        yield Edit(f"Use {texts}", broken.source.path, tuple(changes))


def _patterns(found: list[str], right: str, rank: int) -> Iterator[str]:
    """Dims of 1 first that are not there; then those that are kept as they are."""
    named = right.replace("(", " ").replace(")", " ").split()
    plain = [part.strip("()") for one in found for part in one.split()] if len(found) < rank else []
    if len(plain) == rank:
        yield f"{' '.join(plain)} ->{right}"
    spare = [place for place, one in enumerate(found) if one == "1" or one not in named]
    for place in spare if len(found) == rank + 1 else ():
        yield f"{' '.join([*found[:place], *found[place + 1 :]])} ->{right}"
    if len(found) < rank:
        yield f"... {' '.join(found)} -> ... {right.strip()}"
        yield f"{found[0]} ... {' '.join(found[1:])} -> {found[0]} ... {right.strip().removeprefix(found[0]).strip()}"


MEND = Mend(frozenset({"axes-pattern"}), propose)
