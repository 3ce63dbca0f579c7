"""Classes that nothing calls: when they are searched for, and how long what was found stays."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fx_lsp.analysis.config import Config
from fx_lsp.analysis.inventions import NO_LONGER, NO_TIME, REGARDLESS, Inventions
from fx_lsp.analysis.plan import MAX_SEARCHES, next_wave
from fx_lsp.analysis.snapshot import Trace
from fx_lsp.model.example import OUTSIDE, RUN_BY_ANOTHER, Example
from fx_lsp.model.failure import Failure
from fx_lsp.model.messages import Invented, TraceReply
from fx_lsp.model.span import Span
from tests.analysis.test_plan import HEAD, ran
from tests.analysis.workspaces import workspace

MODEL = (
    HEAD
    + """
class Config:
    width: int = 3

class Block(nn.Module):
    def __init__(self, n): pass
    def forward(self, x): return x

class Model(nn.Module):
    def __init__(self, config: Config): self.block = Block(3)
    def forward(self, x): return self.block(x)
"""
)
PATH = "/w/model.py"
FOUND = Invented("Model", "", "Model(Config())(f32[2, 3])", 4)


def plan(text: str, inventions: Inventions, *traces: Trace) -> tuple[Example, ...]:
    return next_wave(workspace(text), Config(), PATH, traces, inventions)


def learnt(text: str, *found: Invented) -> Inventions:
    inventions = Inventions()
    inventions.learn(workspace(text), PATH, found)
    return inventions


def test_one_search_for_all_those_that_contain_others_first():
    (search,) = plan(MODEL, Inventions())
    assert (search.origin, search.call) == ("inferred", "")
    assert search.search is not None
    assert search.search.names == ("Model", "Block")
    assert [(maker.name, maker.call) for maker in search.search.makers] == [("Model", "Model(Config())")]


def test_without_a_memory_nothing_is_searched():
    assert next_wave(workspace(MODEL), Config(), PATH, ()) == ()


def test_a_search_is_not_repeated_in_the_same_pass():
    (search,) = plan(MODEL, Inventions())
    assert plan(MODEL, Inventions(), Trace(search, "", (), TraceReply(0))) == ()


def test_what_was_found_is_an_example_like_others_and_parts_wait_for_it():
    inventions = learnt(MODEL, FOUND, Invented("Block", "", "Block(3)(f32[2])", 1))
    (example,) = plan(MODEL, inventions)
    assert (example.call, example.origin, example.target) == (FOUND.call, "inferred", "Model")
    assert plan(MODEL, inventions, ran(example, "Model", "Block")) == ()
    (part,) = plan(MODEL, inventions, ran(example, "Model"))
    assert part.call == "Block(3)(f32[2])"


def test_a_part_that_was_left_out_is_searched_for_where_no_example_runs_it_after_all():
    inventions = learnt(MODEL, FOUND, Invented("Block", why=RUN_BY_ANOTHER))
    (example,) = plan(MODEL, inventions)
    assert plan(MODEL, inventions, ran(example, "Model", "Block")) == ()
    (search,) = plan(MODEL, inventions, ran(example, "Model"))
    assert search.search is not None
    assert search.search.names == ("Block",)


def test_it_stays_while_the_body_changes_and_goes_with_the_signature():
    inventions = learnt(MODEL, FOUND)
    edited = MODEL.replace("return self.block(x)", "return self.block(x) + 1")
    assert plan(edited, inventions)[0].call == FOUND.call
    (search,) = plan(MODEL.replace("forward(self, x): return self", "forward(self, x, mask): return self"), inventions)
    assert search.search is not None
    assert "Model" in search.search.names


def test_what_was_not_found_is_looked_for_again_when_the_class_changes():
    inventions = learnt(MODEL, Invented("Model", why="no"), Invented("Block", why="no"))
    assert plan(MODEL, inventions) == ()
    assert dict(inventions.unfound(workspace(MODEL), PATH)) == {"Model": "no", "Block": "no"}
    (search,) = plan(MODEL.replace("return self.block(x)", "return self.block(x) + 1"), inventions)
    assert search.search is not None
    assert search.search.names == ("Model",)


def test_what_was_not_found_is_looked_for_again_when_something_that_it_needs_changes():
    inventions = learnt(MODEL, Invented("Model", why="no"), Invented("Block", why="no"))
    (search,) = plan(MODEL.replace("width: int = 3", "width: int = 4"), inventions)
    assert search.search is not None
    assert search.search.names == ("Model",)
    assert plan(MODEL + "\n\ndef other(): return 1\n", inventions) == ()


def test_a_search_that_failed_says_why_and_is_tried_again():
    inventions = Inventions()
    inventions.failed(PATH, ("Model", "Block"), "the import failed")
    assert dict(inventions.unfound(workspace(MODEL), PATH)) == {
        "Model": "the import failed",
        "Block": "the import failed",
    }
    assert plan(MODEL, inventions)[0].search is not None
    inventions.failed(PATH, ("Model", "Block"), "")
    assert inventions.unfound(workspace(MODEL), PATH) == ()


def test_a_file_whose_import_fails_is_run_to_say_where():
    inventions = Inventions()
    (search,) = plan(MODEL, inventions)
    searched = Trace(search, "", (), TraceReply(0, failure=Failure("import", "no such size")))
    inventions.failed(PATH, ("Model", "Block"), "the import failed: no such size")
    (program,) = plan(MODEL, inventions, searched)
    assert (program.scope, program.call) == (PATH, OUTSIDE)
    assert plan(MODEL, inventions, searched, Trace(program, OUTSIDE, (), TraceReply(0))) == ()


def test_a_real_call_that_fails_half_way_is_what_there_is_to_see():
    call = Example(PATH, "Model(Config())(1)", "call", target="Model")
    (search,) = plan(MODEL, Inventions(), ran(call, "Model", failed=True))
    assert search.search is not None
    assert search.search.names == ("Block",)


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ("/w/README.md", ("Model", "Block")),
        (PATH, ("Model", "Block")),
        ("/w/train.py", ("Block",)),
        ("/w/use.ipynb", ("Block",)),
    ],
)
def test_a_call_of_documentation_that_fails_may_be_of_another_version(written: str, names: tuple[str, ...]) -> None:
    call = Example(PATH, "Model(Config())(1)", "call", target="Model", span=Span(written, 1, 0, 1, 9))
    (search,) = plan(MODEL, Inventions(), ran(call, "Model", failed=True))
    assert search.search is not None
    assert search.search.names == names


def test_a_real_call_that_fails_for_no_mistake_of_the_code_is_not_all_there_is_to_see():
    call = Example(PATH, "Model(Config())(1)", "call", target="Model", span=Span("/w/train.py", 1, 0, 1, 9))
    failed = ran(call, "Model", failed=True)
    timeout = replace(failed, reply=replace(failed.reply, failure=Failure("timeout", "no end", proven=False)))
    (search,) = plan(MODEL, Inventions(), timeout)
    assert search.search is not None
    assert search.search.names == ("Model", "Block")


def test_a_directive_with_a_mistake_is_for_the_user_to_mend():
    text = MODEL.replace("class Block", "# fx: Block(3(\nclass Block")
    (search,) = plan(text, Inventions())
    assert search.search is not None
    assert search.search.names == ("Model",)


def test_everything_is_forgotten_with_the_interpreter():
    inventions = learnt(MODEL, FOUND)
    inventions.forget()
    assert inventions.example(workspace(MODEL), PATH, "Model") is None


@pytest.mark.parametrize(
    ("left", "why"), [((), NO_TIME), ((Invented("Block", why=RUN_BY_ANOTHER),), RUN_BY_ANOTHER)], ids=["time", "part"]
)
def test_a_search_that_did_not_look_at_all_is_gone_on_with_but_not_for_ever(left: tuple[Invented, ...], why: str):
    inventions, traces = Inventions(), list[Trace]()
    for number in range(MAX_SEARCHES):
        (search,) = plan(MODEL, inventions, *traces)
        assert search.search is not None
        name = f"Other{number}"
        search = replace(search, search=replace(search.search, names=(*search.search.names, name)))
        reply = TraceReply(0, invented=(Invented(name, why="no"), *left))
        inventions.take(workspace(MODEL), PATH, search.search, reply)
        assert dict(inventions.unfound(workspace(MODEL), PATH))["Block"] == why
        traces.append(Trace(search, "", (), reply))
    assert plan(MODEL, inventions, *traces) == ()


def test_what_ran_and_fails_is_searched_for_once_more_and_kept_when_nothing_else_runs():
    inventions = learnt(MODEL, FOUND)
    (example,) = plan(MODEL, inventions)
    failed = Trace(example, "", (), TraceReply(0, failure=Failure("trace", "sizes differ")))
    (search,) = plan(MODEL, inventions, failed)
    assert search.search is not None
    assert search.search.names == ("Model", "Block")
    for other in (replace(FOUND, why="forward failed"), replace(FOUND, call="Model(Other())(f32[2, 3])")):
        again = learnt(MODEL, FOUND)
        again.learn(workspace(MODEL), PATH, [other])
        assert again.example(workspace(MODEL), PATH, "Model") == example
        assert again.unfound(workspace(MODEL), PATH) == (("Model", NO_LONGER),)
        again.learn(workspace(MODEL), PATH, [replace(FOUND, call="Model(Config())(f32[2, 4, 3])")])
        assert again.unfound(workspace(MODEL), PATH) == ()
    answered = Trace(search, "", (), TraceReply(0, invented=(replace(FOUND, why="forward failed"),)))
    assert not [one for one in plan(MODEL, inventions, failed, answered) if one.search and "Model" in one.search.names]


@pytest.mark.parametrize(
    ("call", "kept"),
    [
        ("Model(dim=64, heads=4)(f32[2, 4, 64])", False),
        ("Model(dim=64, heads=4)(f32[2, 32, 64])", True),
        ("Model(dim=64, heads=4)(f32[2, 4, 8, 64])", True),
        ("Model(dim=64, heads=4)(f32[2, 16, 64], f32[4])", True),
    ],
)
def test_other_inputs_of_what_ran_have_no_sizes_that_agree_by_chance(call: str, kept: bool):
    inventions = learnt(MODEL, replace(FOUND, call="Model(dim=64, heads=4)(f32[2, 16, 64])"))
    inventions.learn(workspace(MODEL), PATH, [replace(FOUND, call=call)])
    example = inventions.example(workspace(MODEL), PATH, "Model")
    assert example is not None
    assert (example.call == call) is kept


def test_what_fails_whatever_it_is_given_is_said_to_until_another_text_of_it_was_searched_for():
    own = replace(FOUND, why="forward failed", regardless=True)
    inventions = learnt(MODEL, own)
    assert inventions.unfound(workspace(MODEL), PATH) == (("Model", REGARDLESS),)
    assert inventions.unfound(workspace(MODEL.replace("return", "return 2 *")), PATH) == ()
    inventions.learn(workspace(MODEL), PATH, [replace(own, regardless=False)])
    assert inventions.unfound(workspace(MODEL), PATH) == ()


def test_an_attribute_that_another_file_speaks_of_is_no_mistake():
    why = "forward failed at line 3 with AttributeError: 'Model' object has no attribute 'table'"
    inventions = Inventions()
    inventions.learn(workspace(MODEL), PATH, [replace(FOUND, why=why, regardless=True)])
    assert inventions.unfound(workspace(MODEL), PATH) == (("Model", REGARDLESS),)
    for text, own in (("net.part.table = None\n", ()), ("tables = 3\n", (("Model", REGARDLESS),))):
        assert inventions.unfound(workspace({"model.py": MODEL, "use.py": text}), PATH) == own


def test_what_never_ran_is_not_searched_for_again():
    inventions = learnt(MODEL, replace(FOUND, why="forward failed"))
    (example,) = plan(MODEL, inventions)
    failed = Trace(example, "", (), TraceReply(0, failure=Failure("trace", "sizes differ")))
    assert not [one for one in plan(MODEL, inventions, failed) if one.search and "Model" in one.search.names]


@pytest.mark.parametrize(
    ("was", "now"), [("return self.block(x)", "return self.block(x) + 1"), ("width: int = 3", "width: int = 4")]
)
def test_what_never_ran_is_searched_for_once_more_with_another_text(was: str, now: str):
    failing = replace(FOUND, why="forward failed")
    inventions, edited = learnt(MODEL, failing), MODEL.replace(was, now)
    (example,) = plan(edited, inventions)
    assert example.call == FOUND.call  # which shows what it can meanwhile
    failed = Trace(example, "", (), TraceReply(0, failure=Failure("trace", "sizes differ")))
    (search,) = plan(edited, inventions, failed)
    assert search.search is not None
    assert "Model" in search.search.names
    inventions.learn(workspace(edited), PATH, [failing])
    assert not [one for one in plan(edited, inventions, failed) if one.search and "Model" in one.search.names]


def test_what_never_ran_is_searched_for_once_more_with_another_text_of_a_file_that_it_imports():
    def files(body: str) -> dict[str, str]:
        part = f"{HEAD}class Part(nn.Module):\n    def forward(self, x): {body}\n"
        model = f"{HEAD}from parts import Part\nclass Model(nn.Module):\n    def forward(self, x): return Part()(x)\n"
        return {"model.py": model, "parts.py": part}

    inventions = Inventions()
    inventions.learn(workspace(files("return x")), PATH, [replace(FOUND, why="forward failed")])
    assert not inventions.outdated(workspace(files("return x")), PATH, "Model")
    assert inventions.outdated(workspace(files("return x + 1")), PATH, "Model")
    inventions.learn(workspace(files("return x")), PATH, [Invented("Model", why="no")])
    assert inventions.of(workspace(files("return x")), PATH, "Model") is not None
    assert inventions.of(workspace(files("return x + 1")), PATH, "Model") is None
