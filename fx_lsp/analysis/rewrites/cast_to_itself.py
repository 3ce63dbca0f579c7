"""A cast to what the tensor is already.

Before:
    y = x.to(x.dtype).to(x.device)
After:
    y = x
"""

from __future__ import annotations

import ast

from fx_lsp.analysis.rewrites import Rewrite, given_instead
from fx_lsp.analysis.rewrites._flow import Flow
from fx_lsp.analysis.rewrites._terms import Term
from fx_lsp.model.value import TensorType

_CASTS = {"float": "f32", "double": "f64", "half": "f16", "bfloat16": "bf16", "long": "i64", "int": "i32", "bool": "b8"}
_MAKERS = frozenset({"zeros", "ones", "full", "empty", "arange", "linspace", "eye", "rand", "randn", "tensor"})
_SAYS = "a tensor of another type stays what it is"


def _changes_nothing(flow: Flow, term: Term) -> str | None:
    """Whether it is to its own dtype or device, the second of two equal ones, or changed nothing in any run."""
    if term.op not in ("to", "type_as", *_CASTS) or not isinstance(term.node, ast.Call):
        return None
    given = term.args[0]
    again = given.op == term.op and given.args[1:] == term.args[1:] and given.named == term.named
    if again or _is_own(term) or _is_made_so(term):
        return ""
    return _SAYS if _changed_nothing(flow, term) else None


def _is_own(term: Term) -> bool:
    """`x.to(x.dtype)`."""
    given, named = term.args[0], dict(term.named)
    asked = [*term.args[1:], *named.values()]
    if len(asked) != 1 or given.op != "name":
        return False
    name, versions = given.value
    if term.op == "type_as":
        return asked[0] == given
    parts = (".dtype", ".device")
    return asked[0].op == "name" and any(asked[0].value[0] == f"{name}{part}" for part in parts) and (
        asked[0].value[1][: len(versions)] == versions
    )  # fmt: skip


def _is_made_so(term: Term) -> bool:
    """`torch.zeros(2, dtype=x.dtype).to(x.dtype)`."""
    made = next((one for name, one in term.args[0].named if name == "dtype"), None)
    return term.op == "to" and made is not None and term.args[0].op in _MAKERS and (
        [*term.args[1:], *(one for _, one in term.named)] == [made]
    )  # fmt: skip


def _changed_nothing(flow: Flow, term: Term) -> bool:
    operation = flow.file.ran(term.node) if term.node is not None and term.op in _CASTS else None
    return operation is not None and all(
        isinstance(given := next(iter(variant.inputs), None), TensorType) and given.dtype == _CASTS[term.op]
        for variant in operation.variants
    )


RULE = Rewrite("cast-to-itself", "Take the cast away", given_instead(_changes_nothing))
