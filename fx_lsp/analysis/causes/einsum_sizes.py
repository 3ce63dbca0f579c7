"""An equation whose letters do not fit what it is given.

    y = torch.einsum("bij,bjk->bik", a, b)  # f32[2, 3, 4] and f32[2, 5, 6]

Instead: each letter stands for one size wherever it occurs.
"""

from __future__ import annotations

from fx_lsp.analysis.causes import Cause
from fx_lsp.analysis.causes._call import Call, Operand
from fx_lsp.model.value import Group


def explain(call: Call) -> str | None:
    """The first letter with two sizes, operand with other dims than letters, or letter of the result alone."""
    equation = call.plain(0, "equation")
    operands = _operands(call)
    if not isinstance(equation, str):
        return None
    terms = equation.replace(" ", "").partition("->")[0].split(",")
    if len(terms) != len(operands):
        return f"`{equation}` is about {len(terms)} tensors, and {call.name} gets {len(operands)}"
    sizes: dict[str, tuple[int, Operand]] = {}
    for term, one in zip(terms, operands, strict=True):
        if one.shape is None or "..." in term:
            continue
        if len(term) != len(one.shape):
            return f"`{term}` names {len(term)} dims, and {one.known('its operand')} has {len(one.shape)}"
        for letter, size in zip(term, one.shape, strict=True):
            known, first = sizes.setdefault(letter, (size, one))
            if size != known and 1 not in (size, known):
                a, b = first.known("one operand"), one.known("another")
                return f"`{letter}` is {known} in {a} and {size} in {b}"
    return _result(equation)


def _result(equation: str) -> str | None:
    """Each letter of it is one of the operands', once."""
    inputs, _, output = equation.replace(" ", "").partition("->")
    for number, letter in enumerate(output):
        if letter.isalpha() and letter not in inputs:
            return f"the result of `{equation}` has `{letter}`, which no operand has"
        if letter.isalpha() and letter in output[:number]:
            return f"the result of `{equation}` has `{letter}` more than once"
    return None


def _operands(call: Call) -> list[Operand]:
    given = list(call.operands[1:])
    if len(given) == 1 and isinstance(given[0].value, Group):
        return [Operand("", value) for value in given[0].value.items]
    return given


CAUSE = Cause("einsum-sizes", "An equation that does not fit", {"einsum"}, explain)
