"""Mistakes that take two edits: both are one, of the text as it was."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from fx_lsp.analysis.actions import Edit, applied
from fx_lsp.analysis.continued import Left, changed_lines, continued
from fx_lsp.analysis.mends import proposals
from fx_lsp.model.failure import Attempt, Failure
from tests.analysis.facts import PATH
from tests.analysis.test_mends import attempt, place

TEXT = """class Net(nn.Module):
    def __init__(self):
        self.norm = nn.LayerNorm(96)
        self.head = nn.Linear(96, 10)

    def forward(self, x):
        return self.head(self.norm(x))
"""


def _failure(text: str, built: str, part: str, called: str, **settings: object) -> Failure:
    made = attempt(built.partition("(")[0].rpartition(".")[2], ("f32[2, 48]",), called, **settings)
    layer = Attempt(made.target, made.arguments, called, made.settings, place(text, built))
    return Failure("trace", "no", place(text, part), layer=layer)


def _first() -> tuple[Failure, Edit, Failure]:
    before = _failure(TEXT, "nn.LayerNorm(96)", "self.norm(x)", "self.norm", normalized_shape=(96,))
    (edit,) = [one for one in proposals(before, {PATH: TEXT}.get) if one.title.endswith("to `48`")]
    after = applied(TEXT, edit.changes)
    return before, edit, _failure(after, "nn.Linear(96, 10)", "self.head(self.norm(x))", "self.head", in_features=96)


def test_what_is_left_is_mended_in_the_same_action() -> None:
    before, edit, after = _first()
    found = continued(Left(before, 3), [(edit, Left(after, 4))], {PATH: TEXT}.get)
    texts = {applied(TEXT, one.changes): one.title for one in found}
    both = TEXT.replace("LayerNorm(96)", "LayerNorm(48)").replace("Linear(96, 10)", "Linear(48, 10)")
    assert texts[both] == f"{edit.title}, and change in_features of `nn.Linear` to `48`"
    assert len({one.title for one in found}) == len(found)
    assert all(span.path == PATH for one in found for span, _ in one.changes)


def test_of_first_edits_that_leave_the_same_one_is_gone_on_from() -> None:
    before, edit, after = _first()
    again = replace(edit, title="Another way to write it", changes=tuple((at, f"{new} ") for at, new in edit.changes))
    one, two = (
        continued(Left(before, 3), [(one, Left(after, 4)) for one in edits], {PATH: TEXT}.get)
        for edits in ([edit], [edit, again])
    )
    assert one == two


def test_both_edits_may_be_in_one_line_and_lines_may_end_in_any_way() -> None:
    before, edit, after = _first()
    text = TEXT.replace("\n", "\r\n").rstrip()
    found = continued(Left(before, 3), [(edit, Left(after, 4))], {PATH: text}.get)
    both = text.replace("LayerNorm(96)", "LayerNorm(48)").replace("Linear(96, 10)", "Linear(48, 10)")
    assert both in {applied(text, one.changes) for one in found}


def test_what_comes_next_on_the_same_line_is_another_failure() -> None:
    text = TEXT.replace("self.head(self.norm(x))", "x * a + b")
    mul, add = (attempt(f"torch.Tensor.{name}", ("f32[2, 7, 4]", "f32[2, 4]")) for name in ("mul", "add"))
    before = Failure("trace", "no", place(text, "x * a"), operation=mul)
    edit = next(one for one in proposals(before, {PATH: text}.get) if "a.unsqueeze(1)" in one.title)
    edited = applied(text, edit.changes)
    after = Failure("trace", "no", place(edited, "x * a.unsqueeze(1) + b"), operation=add)
    found = continued(Left(before, 3), [(edit, Left(after, 5))], {PATH: text}.get)
    assert text.replace("x * a + b", "x * a.unsqueeze(1) + b.unsqueeze(1)") in {
        applied(text, one.changes) for one in found
    }


def test_nothing_follows_an_edit_with_which_it_came_no_further() -> None:
    before, edit, after = _first()
    assert not continued(Left(before, 3), [(edit, Left(after, 3))], {PATH: TEXT}.get)
    assert not continued(Left(before, 3), [(edit, Left(before, 4))], {PATH: TEXT}.get)
    assert not continued(Left(before, 3), [], {PATH: TEXT}.get)


LINES = st.lists(st.sampled_from(["", "a", "b", "    é = a", "c"]), max_size=8)


@given(LINES, LINES, st.sampled_from(["\n", "\r\n"]))
def test_the_lines_that_differ_make_one_text_of_another(old: list[str], new: list[str], end: str) -> None:
    before, after = end.join(old), end.join(new)
    assert applied(before, changed_lines(PATH, before, after)) == after
