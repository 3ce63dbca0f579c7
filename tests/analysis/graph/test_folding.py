"""Equal neighbours stand once, with the number of times; what is not equal is not folded."""

from __future__ import annotations

from textwrap import dedent

import pytest

from fx_lsp.analysis.graph.drawing import Drawing
from fx_lsp.analysis.graph.hierarchy import draw
from tests.analysis.graph.graphs import graph
from tests.analysis.graph.outline import outline


def net(*blocks: str, head: str = "", tail: str = "") -> Drawing:
    """A net of an input and these blocks; `{i}` is the number of a block, `{j}` that of the one before it."""
    lines = ["Net", "  x0 = input() f32[2, 8]", "  m = input() f32[8]", *_indented(head)]
    for number, block in enumerate(blocks, start=1):
        lines += _indented(block.replace("{i}", str(number)).replace("{j}", str(number - 1)))
    lines += [*_indented(tail), f"  output(x{len(blocks)}) f32[2, 8]"]
    return draw(graph("\n".join(lines)))


def _indented(text: str) -> list[str]:
    return [f"  {line}" for line in dedent(text).strip("\n").split("\n") if line.strip()]


def repeats(drawing: Drawing) -> list[str]:
    """`Block × 3 <b.1 … b.3>` for each repeat, outermost first."""
    return [f"{one.title} × {one.times} <{one.path}>" for one in drawing.scopes if one.form == "repeat"]


BLOCK = """
Block b.{i}
  h{i} = .relu(x{j}) f32[2, 8]
  x{i} = operator.add(h{i}, x{j}) f32[2, 8]
"""
LOOP = """
Attention layers.{i}.0
  a{i} = .softmax(x{j}) f32[2, 8]
r{i} = operator.add(a{i}, x{j}) f32[2, 8]
MLP layers.{i}.1
  f{i} = .gelu(r{i}) f32[2, 8]
x{i} = operator.add(f{i}, r{i}) f32[2, 8]
"""


def test_a_chain_of_blocks() -> None:
    drawing = net(*[BLOCK] * 3)
    assert outline(drawing, members=3) == dedent(
        """
        Net <>
          x0: x0 (input) f32[2, 8]
          m: m (input) f32[8]
          Block × 3 <b.1 … b.3> (repeat)
            Block <b.1>
              h1: relu f32[2, 8]
              x1: + f32[2, 8]
              | -> h1
              h1 -> x1
              | -> x1
              x1 -> |
            Block <b.2>
              h2: relu f32[2, 8]
              x2: + f32[2, 8]
              | -> h2
              h2 -> x2
              | -> x2
              x2 -> |
            Block <b.3>
              h3: relu f32[2, 8]
              x3: + f32[2, 8]
              | -> h3
              h3 -> x3
              | -> x3
              x3 -> |
            | -> b.1
            b.1 -> b.2
            b.2 -> b.3
            b.3 -> |
          output: output (output) f32[2, 8]
          x0 -> b.1:repeat
          b.1:repeat -> output
        """
    ).strip("\n")


def test_a_loop_of_several_boxes() -> None:
    drawing = net(*[LOOP] * 4, head="x = operator.add(x0, m) f32[2, 8]")
    assert repeats(drawing) == ["layers × 4 <layers.1 … layers.4>"]
    assert outline(drawing, depth=2).count("(iteration)") == 1
    iteration = drawing.scopes[2]
    assert (iteration.form, iteration.title, iteration.path) == ("iteration", "layers.1", "layers.1")
    titles = [drawing.scopes[~one].title if one < 0 else drawing.nodes[one].title for one in iteration.children]
    assert titles == ["Attention", "+", "MLP", "+"]


def test_the_body_of_a_loop_begins_where_its_source_does() -> None:
    """A module and an addition, or an addition and a module: the lines tell."""
    loop = """
        h{i} = operator.neg(x{j}) f32[2, 8] line=7
        Block b line=8
          x{i} = .relu(h{i}) f32[2, 8] line=20
    """
    drawing = net("Block a\n  x1 = .relu(x0) f32[2, 8] line=20", *[loop] * 3)
    assert repeats(drawing) == ["Block × 3 <b>"]
    (iteration, *_) = (scope for scope in drawing.scopes if scope.form == "iteration")
    assert [child >= 0 for child in iteration.children] == [True, False]


def test_a_repeat_in_a_repeat() -> None:
    stage = """
        Block s.{i}.a.0
          a{i} = .relu(x{j}) f32[2, 8]
        Block s.{i}.a.1
          b{i} = .relu(a{i}) f32[2, 8]
        Pool s.{i}.pool
          x{i} = .tanh(b{i}) f32[2, 8]
    """
    assert repeats(net(*[stage] * 3)) == [
        "s × 3 <s.1 … s.3>",
        *[f"Block × 2 <s.{i}.a.0 … s.{i}.a.1>" for i in (1, 2, 3)],
    ]


def test_a_shared_module_called_again_and_again() -> None:
    call = "Block b\n  x{i} = .relu(x{j}) f32[2, 8]"
    drawing = net(*[call] * 3)
    assert repeats(drawing) == ["Block × 3 <b>"]
    assert [scope.key for scope in drawing.scopes] == ["", "b:repeat", "b", "b#1", "b#2"]


def test_an_unrolled_step_takes_another_element_each_time() -> None:
    step = """
        s{i} = operator.getitem(m, {i}) f32[8]
        Cell cell
          x{i} = operator.add(s{i}, x{j}) f32[2, 8]
    """
    drawing = net(*[step] * 5, tail="y = torch.stack(x1, x2, x3, x4, x5) f32[5, 2, 8]")
    assert repeats(drawing) == ["Cell × 5 <cell>"]
    repeat = drawing.scopes[1]
    assert len(repeat.outputs) == 5, "each step's output is stacked"


def test_each_layer_may_have_a_state_of_its_own() -> None:
    block = "Block b.{i}\n  x{i} = operator.add(x{j}, s{i}) f32[2, 8]"
    states = "\n".join(f"s{i} = torch.zeros() f32[8]" for i in (1, 2, 3))
    assert repeats(net(*[block] * 3, head=states)) == ["Block × 3 <b.1 … b.3>"]


def test_branches_to_one_box() -> None:
    expert = "Expert e.{i}\n  y{i} = .relu(x0) f32[2, 8]"
    drawing = net(expert, expert, expert, tail="x3 = torch.stack(y1, y2, y3) f32[3, 2, 8]")
    assert repeats(drawing) == ["Expert × 3 <e.1 … e.3>"]


def test_alternating_masks_make_a_longer_period() -> None:
    local = BLOCK.replace(".relu(x{j})", "operator.mul(x{j}, m)")
    whole = BLOCK.replace(".relu(x{j})", "operator.mul(x{j}, n)")
    drawing = net(*[local, whole] * 3, head="n = torch.ones() f32[8]")
    assert repeats(drawing) == ["Block × 3 <b.1 … b.6>"]
    assert sum(scope.form == "iteration" for scope in drawing.scopes) == 3


@pytest.mark.parametrize(
    ("blocks", "why"),
    [
        ([BLOCK, BLOCK.replace("f32[2, 8]\n  x", "f32[2, 9]\n  x")], "another shape inside"),
        ([BLOCK, BLOCK.replace(".relu", ".gelu")], "another operation"),
        ([BLOCK, BLOCK.replace("h{i}, x{j})", "h{i}, h{i})")], "another way of the data inside"),
        ([BLOCK, BLOCK.replace("h{i}, x{j})", "h{i}, x{j}, 2)")], "another constant"),
        ([BLOCK, BLOCK.replace("x{j}", "x0")], "fed by something else"),
        ([BLOCK, BLOCK.replace("Block b.{i}", "Block b.{i} parameters=8")], "another number of parameters"),
        ([BLOCK, BLOCK.replace("Block", "Other")], "another class"),
        ([BLOCK, BLOCK.replace("b.{i}", "head")], "another name: not one of a list"),
        ([BLOCK, BLOCK.replace("h{i}, x{j}) f32[2, 8]", "h{i}, x{j}) failed")], "failed"),
    ],
)  # fmt: skip
def test_what_differs_is_not_folded(blocks: list[str], why: str) -> None:
    assert repeats(net(*blocks)) == [], why


def test_queries_keys_and_values_are_not_one_thing() -> None:
    attention = "\n".join(f"Linear attn.{one}\n  {one} = .relu(x0) f32[2, 8]" for one in ("q", "k", "v"))
    assert repeats(net(attention, tail="x1 = torch.attention(q, k, v) f32[2, 8]")) == []


def test_plain_operations_are_not_folded() -> None:
    assert repeats(net(*["x{i} = .relu(x{j}) f32[2, 8]"] * 5)) == []


def test_branches_to_different_boxes_are_not_folded() -> None:
    branch = "Table t\n  y{i} = .cos(m) f32[8]"
    uses = "x1 = operator.mul(x0, y1) f32[2, 8]\nx2 = operator.mul(x1, y2) f32[2, 8]"
    assert repeats(net(branch, branch, tail=uses)) == []


def test_a_tap_ends_the_run() -> None:
    """What one block gives to a box behind the run, those before it do not."""
    taps = net(*[BLOCK] * 6, tail="t = .tanh(x3) f32[2, 8]")
    assert repeats(taps) == ["Block × 3 <b.1 … b.3>", "Block × 3 <b.4 … b.6>"]
    every = net(*[BLOCK] * 4, tail="t = torch.stack(x1, x2, x3, x4) f32[4, 2, 8]")
    assert repeats(every) == ["Block × 4 <b.1 … b.4>"]


def test_a_failing_block_stands_for_itself() -> None:
    drawing = net(*[BLOCK] * 3, BLOCK.replace("f32[2, 8]\n", "failed\n", 1))
    assert repeats(drawing) == ["Block × 3 <b.1 … b.3>"]
    assert [scope.path for scope in drawing.scopes if scope.failed] == ["", "b.4"]


def test_keys_of_the_rest_stay_when_a_block_is_changed() -> None:
    before = {scope.key for scope in net(*[BLOCK] * 4).scopes}
    after = {scope.key for scope in net(*[BLOCK] * 3, BLOCK.replace("relu", "gelu")).scopes}
    assert before == after
