"""Hover: which expression or name it is about, and what it says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fx_lsp.analysis.hover import hover
from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.model.span import Span
from fx_lsp.model.trace import Reached
from tests.analysis.facts import PATH, changed, snapshot, tensor

SOURCE = """
class Net(nn.Module):
    def forward(self, x):
        é = self.fc(x + self.w).relu()
#       ^ bind f32[8]
#           ^^^^^^^^^^^^^^^^^^^ mod Linear f32[2] -> f32[8]
#                   ^^^^^^^^^^ op torch.Tensor.add f32[2]; f32[3] -> f32[2]
#           ^^^^^^^^^^^^^^^^^^^^^^^^^^ op torch.Tensor.relu f32[8] -> f32[8]
        return é
#       ^^^^^^ bind f32[8]
"""


def at(made: Snapshot, needle: str, offset: int = 0) -> tuple[str, str] | None:
    """The hover at the first `needle`: its text, and the text it is about."""
    index = made.text.index(needle) + offset
    line = made.text.count("\n", 0, index) + 1
    text = made.text.split("\n")[line - 1]
    before = made.text[:index].rpartition("\n")[2]
    found = hover(made, line, len(before.encode()))
    if found is None:
        return None
    assert found.span.line == found.span.end_line == line
    return found.markdown, text.encode()[found.span.column : found.span.end_column].decode()


@pytest.mark.parametrize(
    ("needle", "offset", "about"),
    [
        ("é =", 0, "é"),
        ("self.fc", 0, "self.fc(x + self.w)"),
        ("fc(", 2, "self.fc(x + self.w)"),
        ("x + ", 0, "x + self.w"),
        ("self.w)", 3, "x + self.w"),
        (").relu", 0, "self.fc(x + self.w)"),
        (".relu", 0, "self.fc(x + self.w).relu()"),
        ("relu()", 6, "self.fc(x + self.w).relu()"),
        ("return", 3, "return"),
    ],
)
def test_the_innermost_expression_or_name(needle: str, offset: int, about: str) -> None:
    found = at(snapshot(SOURCE), needle, offset)
    assert found is not None
    assert found[1] == about


@pytest.mark.parametrize("needle", ["class", "def forward", "return é"])
def test_nothing_is_said_where_nothing_was_made(needle: str) -> None:
    assert at(snapshot(SOURCE), needle, len(needle)) is None
    assert hover(snapshot(SOURCE), 99, 0) is None


def test_a_function() -> None:
    found = at(snapshot(SOURCE), "x +")
    assert found is not None
    assert found[0].split("\n\n") == [
        "**`torch.Tensor.add`**",
        "- `f32[2], f32[3] → f32[2]` · `float32 on cpu` · in `m0`",
        "from call: `Net()(f32[2])`",
    ]


def test_a_module() -> None:
    found = at(snapshot(SOURCE), "self.fc")
    assert found is not None
    assert found[0].startswith(
        "**`Linear`** (module)\n\n- `f32[2] → f32[8]` · `float32 on cpu` · 1.2 M params · in `m0`\n\n"
    )


def test_a_name() -> None:
    found = at(snapshot(SOURCE), "é =")
    assert found is not None
    assert found[0] == "`é`\n\n- `f32[8]` · in `m0`\n\nfrom call: `Net()(f32[2])`"


def test_device_strides_and_call_path() -> None:
    made = snapshot(SOURCE)
    operation = made.traces[0].reply.operations[1]
    output = replace(tensor("f16[2, 8]"), device="cuda:0", stride=(1, 2))
    variant = replace(operation.variants[0], output=output, count=3)
    calls = (Span("/w/train.py", 9, 0, 9, 1), Span(PATH, 5, 0, 5, 1))
    made = changed(made, operations=(replace(operation, variants=(variant,), calls=calls),))
    found = at(made, "x +")
    assert found is not None
    assert found[0].split("\n\n")[1:3] == [
        "- `f32[2], f32[3] → f16[2, 8]` · `float16 on cuda:0` · not contiguous, strides `(1, 2)` · in `m0` · 3 times",
        "called from `train.py:9` → line 5",
    ]


def test_several_operations_of_one_expression_and_several_traces() -> None:
    source = """
        if x:
            y = nn.Parameter(w)
        #       ^^^^^^^^^^^^^^^ op torch.Tensor.detach f32[8] -> f32[8]
        #       ^^^^^^^^^^^^^^^ op torch.Tensor.requires_grad_ f32[8] -> f32[8]
    """
    made = snapshot(source)
    found = at(replace(made, traces=made.traces * 2), "nn.")
    assert found is not None
    assert found[0].split("\n\n")[:3] == [
        "**`torch.Tensor.requires_grad_`**",
        "- `f32[8] → f32[8]` · `float32 on cpu` · in `m0` · 2 times",
        "with `torch.Tensor.detach`",
    ]


def test_a_line_that_did_not_run_says_so() -> None:
    made = changed(snapshot(SOURCE), reached=(Reached(PATH, (1, 3)), Reached("/w/other.py", (2,))))
    found = at(made, "class")
    assert found is not None
    assert found[0] == "This line did not run.\n\nfrom call: `Net()(f32[2])`"
    assert at(made, "def forward") is None
    assert hover(made, 3, 0) is None  # something was bound there all the same


def test_text_of_the_user_stays_text() -> None:
    evil = "`![x](http://e)` <img src=x>\n# y"
    made = changed(snapshot(SOURCE), engine="real", fallback=evil)
    found = at(replace(made, traces=(replace(made.traces[0], call=evil),)), "é =")
    assert found is not None
    assert "`` `![x](http://e)` <img src=x> # y ``" in found[0]
    assert r"\`\!\[x\]\(http\:\/\/e\)\` \<img src=x\> \# y" in found[0]


STRIDES = """
def f(x):
    y = x.transpose(0, 1)
#       ^^^^^^^^^^^^^^^^^ op torch.Tensor.transpose f32[2, 3] -> f32[3, 2]
    z = y + x.t()
#       ^^^^^^^^^ op torch.Tensor.add f32[3, 2]; f32[3, 2] -> f32[3, 2]
    return z.relu(), x.reshape(6)
#          ^^^^^^^^ op torch.Tensor.relu f32[3, 2] -> f32[3, 2]
#                    ^^^^^^^^^^^^ op torch.Tensor.reshape f32[2, 3] -> f32[6]
"""


def laid_out(*facts: dict[str, object], source: str = STRIDES) -> Snapshot:
    """The operations in their order, each with other fields in its variant, its output not contiguous where one says
    `scattered`."""
    made = snapshot(source)
    operations = []
    for operation, fields in zip(made.traces[0].reply.operations, facts, strict=True):
        (variant,) = operation.variants
        stride = (1, 3) if "scattered" in fields else ()
        output = replace(variant.output, stride=stride)  # type: ignore[arg-type]
        operations.append(replace(operation, variants=(replace(variant, output=output, **fields),)))
    return changed(made, operations=tuple(operations))


MADE, KEPT, VIEW, NEW = {"view": 0, "scattered": True}, {"view": -1, "scattered": False}, {"view": 0}, {"view": -1}


@pytest.mark.parametrize(
    ("needle", "says"),
    [
        ("x.transpose", "view of its input · not contiguous from here on, strides `(1, 3)`"),
        ("y +", "not contiguous since `x.transpose(0, 1)` on line 2, strides `(1, 3)`"),
        ("z.relu", "not contiguous since `x.transpose(0, 1)` on line 2, strides `(1, 3)`"),
        ("x.reshape", "copy"),
    ],
)
def test_views_copies_and_what_made_a_tensor_not_contiguous(needle: str, says: str) -> None:
    found = at(laid_out(MADE, KEPT, KEPT, NEW), needle)
    assert found is not None
    assert found[0].split("\n\n")[1].partition("`float32 on cpu` · ")[2] == f"{says} · in `m0`"


def test_where_it_became_so_is_not_said_when_it_is_not_known() -> None:
    found = at(laid_out(KEPT, KEPT, KEPT, VIEW), "z.relu")
    assert found is not None
    assert "· not contiguous, strides" in found[0]
    branch = STRIDES.replace("    z = y", "    if x: y = x\n    z = y")
    found = at(laid_out(MADE, KEPT, KEPT, VIEW, source=branch), "z.relu")
    assert found is not None
    assert "· not contiguous, strides" in found[0]


def test_a_change_in_place_is_no_view() -> None:
    made = laid_out(MADE, KEPT, KEPT, VIEW)
    operation = replace(made.traces[0].reply.operations[3], target="torch.Tensor.add_")
    found = at(changed(made, operations=(operation,)), "x.reshape")
    assert found is not None
    assert "its input, changed in place" in found[0]
