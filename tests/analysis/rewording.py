"""Other wordings of a Python text: comments, blank lines, white space, line breaks, docstrings, line ends."""

from __future__ import annotations

import io
import tokenize

from hypothesis import strategies as st

SOURCES = (
    '''"""Models."""
import torch
from torch import nn
import torch.nn.functional as F, math


class Café(nn.Module):
    """A block.

    Of two layers.
    """

    def __init__(self, dim=8, *, hidden: int = 16):
        super().__init__()
        self.größe = nn.Linear(dim, hidden); self.b = nn.Sequential(nn.ReLU(), nn.Linear(hidden, dim))

    def forward(self, x, *rest, **more):
        "变 docstring"
        h = self.größe(x).view(x.size(0), -1).relu()
        if h.shape[0] > 3: return h  # early
        assert h.dim() == 2, f"é {h.shape} and {h.sum(dim=(0, 1)):>{10}}"
        for i, (a, b) in enumerate(zip(h, h)):
            h = h + a * b
        else:
            pass
        parts = [(p, q) for p in h for q in p if q is not None]
        return self.b(h), {"a": h, **more}, lambda y: (y + 1,)


def helper(x):
    \'\'\'One line.\'\'\'
    with torch.no_grad() as g, torch.autocast("cpu"):
        y = x[1:2, ..., None] @ x.T if x is not None else -x
    try:
        return (y := y.contiguous())
    except (ValueError, TypeError) as error:
        raise RuntimeError from error
''',
    """class A:
    class B:
        def f(self, a, /, b=(1, 2)) -> "B":
            global z
            x = a \\
                + b
            match x:
                case {"k": v, **others} if v:
                    del v
                case [first, *tail] | (first as tail):
                    print('é' "x"
                          f'{a}{b!r:>3}'
                          '''tri
                          ple''', end='')
            async def inner(): return await a
            return not (yield)
""",
    "x = f(1,\n      2)\n",
)


@st.composite
def rewordings(draw: st.DrawFn) -> tuple[str, str]:
    """A text and another one that means the same."""
    text = draw(st.sampled_from(SOURCES))
    new = _reworded(draw, text)
    if draw(st.booleans()):
        new = new.replace("\r\n", "\n").replace("\n", "\r\n")
    return text, new


def _reworded(draw: st.DrawFn, text: str) -> str:
    """Puts something between tokens where it says nothing."""
    lines = text.splitlines(keepends=True)
    places: list[tuple[int, int, str]] = []
    depth, fresh = 0, True
    tokens = [token for token in tokenize.generate_tokens(io.StringIO(text).readline)]
    for before, token in zip([None, *tokens], tokens, strict=False):
        inside_string = token.type not in (tokenize.NAME, tokenize.OP, tokenize.NUMBER, tokenize.STRING)
        if fresh and token.string and token.type not in (tokenize.INDENT, tokenize.DEDENT, tokenize.NL):
            places.append((token.start[0], 0, "line"))
            fresh = False
            first = True
        else:
            first = False
        if token.type == tokenize.NEWLINE:
            places.append((*token.start, "end"))
            fresh = True
        elif not first and not inside_string and before is not None and before.end[0] == token.start[0]:
            places.append((*token.start, "inside" if depth and not _formatted(before) else "same"))
        if token.type == tokenize.OP:
            depth += (token.string in "([{") - (token.string in ")]}")
    chosen = draw(st.lists(st.sampled_from(places), max_size=8, unique=True))
    for row, column, kind in sorted(chosen, reverse=True):
        line = lines[row - 1]
        lines[row - 1] = line[:column] + draw(_BETWEEN[kind]) + line[column:]
    new = "".join(lines)
    for docstring in ("Models.", "Of two", "docstring", "One line."):
        if docstring in new and draw(st.booleans()):
            new = new.replace(
                docstring,
                draw(st.sampled_from(["", "é", "x # y" if docstring == "docstring" else "longer than\nbefore"])),
                1,
            )
    return new


def _formatted(token: tokenize.TokenInfo) -> bool:
    """Whether the next token may be inside an f-string (3.12 and newer), where nothing is put."""
    return tokenize.tok_name[token.type].startswith("FSTRING")


_COMMENT = st.sampled_from(["# c", "# é 变", "#", "# fx-lsp (", '# """'])
_BETWEEN = {
    "line": st.one_of(st.sampled_from(["\n", "   \n", "\t\n", "\f\n"]), _COMMENT.map("{}\n".format)),
    "end": st.one_of(st.sampled_from([" ", "\t"]), _COMMENT.map(" {}".format)),
    "same": st.sampled_from([" ", "  ", "\t", " \\\n  "]),
    "inside": st.one_of(st.sampled_from(["\n", "\n\t\t", " ", "\n\n"]), _COMMENT.map(" {}\n    ".format)),
}
