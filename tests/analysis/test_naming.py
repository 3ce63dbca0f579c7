"""Names of dims, put into facts that stay what they are."""

from __future__ import annotations

from dataclasses import replace

from fx_lsp.analysis.hints import all_hints, tooltip
from fx_lsp.analysis.hover import hover
from fx_lsp.analysis.lenses import lenses
from fx_lsp.analysis.moved import moved
from fx_lsp.analysis.naming import refined
from fx_lsp.analysis.preview import render
from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.model.naming import Constraint
from fx_lsp.model.span import Span
from fx_lsp.model.value import MAX_NAME
from tests.analysis.facts import PATH, snapshot

NUMBERS = """
class Net(nn.Module):
#     ^^^ class f32[2, 6] -> f32[12]
    def forward(self, x):
#                     ^ param f32[2, 6]
        h = x.flatten()
#       ^ bind f32[12]|f32[u0=5]
#           ^^^^^^^^^^^ op torch.flatten f32[2, 6] -> f32[12]
        return h
#       ^^^^^^ bind f32[12]
"""
NAMES = """
class Net(nn.Module):
#     ^^^ class f32[B=2, T=6] -> f32[B*T=12]
    def forward(self, x):
#                     ^ param f32[B=2, T=6]
        h = x.flatten()
#       ^ bind f32[B*T=12]|f32[T=5]
#           ^^^^^^^^^^^ op torch.flatten f32[B=2, T=6] -> f32[B*T=12]
        return h
#       ^^^^^^ bind f32[B*T=13]
"""
ONCE = NUMBERS.replace("|f32[u0=5]", "")
LIMIT = Constraint("T <= 100", Span(PATH, 3, 8, 3, 23))


def shown(numbers: str = NUMBERS, names: str = NAMES, **reply: object) -> Snapshot:
    """The facts of one text with the names of another."""
    first, second = snapshot(numbers), snapshot(names)
    trace = refined(first.traces[0], replace(second.traces[0].reply, **reply))  # type: ignore[arg-type]
    return replace(first, traces=(trace,))


def test_names_replace_numbers_where_the_values_are_the_same() -> None:
    assert render(shown(), colour=False).split("\n")[1:] == [
        "    def forward(self, x⟦f32[B, T]⟧):",
        "        h⟦f32[B*T] +1⟧ = x.flatten()",
        "        return⟦f32[12]⟧ h",
    ]


def test_what_depends_on_data_still_says_so() -> None:
    (hint,) = [hint for hint in all_hints(shown()) if hint.name == "h"]
    assert "`u0`: depends on data" in tooltip(hint, shown())


def test_no_fact_comes_or_goes_and_no_size_changes() -> None:
    first = snapshot(NUMBERS)
    other = refined(first.traces[0], snapshot("y = 1\n#^ bind f32[B=7]").traces[0].reply)
    assert other == first.traces[0]


def test_the_tooltip_has_the_sizes_and_the_lens_the_names() -> None:
    found = shown()
    (hint,) = [hint for hint in all_hints(found) if hint.name == "x"]
    assert "`f32[2, 6]` in this run" in tooltip(hint, found)
    assert "f32[B, T] → f32[B*T]" in lenses(shown(ONCE))[0].title


def test_a_constraint_is_told_with_its_line_where_its_name_is() -> None:
    found = shown(constraints=(LIMIT, Constraint("S <= 5")))
    (hint,) = [hint for hint in all_hints(found) if hint.name == "x"]
    assert "`T <= 100`: line 3" in tooltip(hint, found)
    assert "S <= 5" not in tooltip(hint, found)
    told = hover(found, 3, 13)
    assert told is not None
    assert "`T <= 100`: line 3" in told.markdown
    assert "T <= 100" in lenses(found)[0].title


def test_a_constraint_moves_with_its_line_and_goes_with_it() -> None:
    found = shown(constraints=(LIMIT,))
    (kept,) = moved(found, "\n" + found.text).traces[0].reply.constraints
    assert kept.span is not None
    assert kept.span.line == 4
    assert moved(found, found.text.replace("flatten", "ravel")).traces[0].reply.constraints == ()


def test_a_long_text_is_a_number_in_the_label() -> None:
    long = "((H+1)//2)*((W+1)//2)"
    assert len(long) > MAX_NAME
    found = shown("if h:\n   h = f(x)\n#  ^ bind f32[12]\n", f"if h:\n   h = f(x)\n#  ^ bind f32[{long}=12]\n")
    assert "h⟦f32[12]⟧ = f(x)" in render(found, colour=False)
    assert f"12 is `{long}`" in tooltip(all_hints(found)[0], found)


def test_one_shape_that_only_one_example_has_a_name_for_is_one_variant() -> None:
    found = shown()
    plain = snapshot(NUMBERS).traces[0]
    both = replace(found, traces=(*found.traces, replace(plain, call="Net()(f32[2, 6], 1)")))
    assert render(both, colour=False) == render(found, colour=False)
