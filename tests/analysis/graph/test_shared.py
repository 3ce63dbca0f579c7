"""Sources that many modules read one after the other: a reference in each instead of an edge past all of them."""

from __future__ import annotations

from textwrap import dedent, indent

from fx_lsp.analysis.graph.drawing import Drawing
from fx_lsp.analysis.graph.hierarchy import draw
from tests.analysis.graph.graphs import graph
from tests.analysis.graph.outline import outline


def drawn(text: str) -> Drawing:
    """The drawing of a graph written as text."""
    return draw(graph(text))


def layers(*shapes: int, mask: str = "m", start: str = "x") -> str:
    """A chain of layers that read a mask; those of different sizes are not folded."""
    lines: list[str] = []
    last = start
    for number, size in enumerate(shapes):
        lines += [f"Layer l.{number}", f"  h{number} = operator.add({last}, {mask}) f32[{size}]"]
        last = f"h{number}"
    return "\n".join(lines)


def net(body: str, *inputs: str, output: str) -> Drawing:
    """A net of inputs and a body."""
    names = [f"  {name} = input() f32[2]" for name in inputs]
    return drawn("\n".join(["Net", *names, indent(dedent(body).strip("\n"), "  "), f"  output({output})"]))


def references(drawing: Drawing) -> list[tuple[str, str]]:
    """The scope of each reference, and the node that it stands for."""
    return [
        (drawing.scopes[node.scope].key, drawing.nodes[node.origin].name)
        for node in drawing.nodes
        if node.role == "reference"
    ]


def test_a_mask_is_referred_to() -> None:
    drawing = net(layers(3, 4, 5), "x", "m", output="h2")
    assert references(drawing) == [("l.0", "m"), ("l.1", "m"), ("l.2", "m")]
    assert outline(drawing) == dedent(
        """
        Net <>
          x: x (input) f32[2]
          m: m (input) f32[2]
          Layer <l.0>
            ^m: m (reference) f32[2]
            h0: + f32[3]
            | -> h0
            ^m -> h0
            h0 -> |
          Layer <l.1>
            ^m: m (reference) f32[2]
            h1: + f32[4]
            | -> h1
            ^m -> h1
            h1 -> |
          Layer <l.2>
            ^m: m (reference) f32[2]
            h2: + f32[5]
            | -> h2
            ^m -> h2
            h2 -> |
          output: output (output)
          x -> l.0
          l.0 -> l.1
          l.1 -> l.2
          l.2 -> output
        """
    ).strip("\n")


def test_a_reference_stands_for_a_part() -> None:
    table = "t = torch.tables() (f32[2], f32[2])\np = operator.getitem(t, 1) f32[2]\n"
    drawing = net(table + layers(3, 4, 5, mask="p"), "x", output="h2")
    assert references(drawing) == [("l.0", "t"), ("l.1", "t"), ("l.2", "t")]
    assert {drawing.values[node.value].label for node in drawing.nodes if node.role == "reference"} == {"f32[2]"}


def test_alike_layers_with_a_mask_are_folded() -> None:
    drawing = net(layers(2, 2, 2), "x", "m", output="h2")
    assert [scope.form for scope in drawing.scopes] == ["module", "repeat", "module", "module", "module"]
    assert references(drawing) == [("l.0", "m"), ("l.1", "m"), ("l.2", "m")]
    assert len(drawing.scopes[1].inputs) == 1


def test_two_readers_have_edges() -> None:
    assert references(net(layers(3, 4), "x", "m", output="h1")) == []


def test_branches_have_edges() -> None:
    """They stand side by side: an edge to one passes no other."""
    branches = "\n".join(f"Branch b.{number}\n  h{number} = .relu(x) f32[{number}]" for number in range(4))
    assert references(net(branches, "x", output="h0, h1, h2, h3")) == []


def test_the_main_flow_keeps_the_edge_to_its_first_reader() -> None:
    body = "Stem s\n  y = .tanh(x) f32[2]\n" + layers(3, 4, 5, mask="y", start="y")
    drawing = net(body, "x", output="h2")
    assert references(drawing) == [("l.1", "s"), ("l.2", "s")] or references(drawing) == [("l.1", "y"), ("l.2", "y")]
    assert "s -> l.0" in outline(drawing)


def test_the_main_flow_keeps_the_edge_to_a_repeat_that_reads_it_first() -> None:
    memory = "Encoder e\n  y = .tanh(x) f32[2]\n" + layers(2, 2, 2, 2, mask="y", start="z")
    drawing = net(memory, "x", "z", output="h3")
    assert references(drawing) == []
    assert "e -> l.0:repeat.1" in outline(drawing)


def test_what_is_around_the_maker_has_edges() -> None:
    """A table made in a module of its own: the box beside it reads it by an edge, the layers by references."""
    body = "Table t\n  y = torch.arange() f32[2]\nz = .cos(y) f32[2]\n" + layers(3, 4, 5, mask="y")
    drawing = net(body, "x", output="h2, z")
    assert "t -> z" in outline(drawing)
    assert references(drawing) == [("l.0", "y"), ("l.1", "y"), ("l.2", "y")]


def test_what_enters_a_module_with_many_readers() -> None:
    """The mask has one reader in the net, the encoder, and many in there."""
    body = "Encoder e\n" + indent(layers(3, 4, 5), "  ") + "\nHead h\n  o = operator.add(h2, m) f32[2]"
    drawing = net(body, "x", "m", output="o")
    assert references(drawing) == [("l.0", "m"), ("l.1", "m"), ("l.2", "m"), ("h", "m")]


def test_a_residual_stream_is_no_shared_source() -> None:
    block = """
        Block b.{i}
          Norm b.{i}.n
            n{i} = .rsqrt(x{j}) f32[{i}]
          Attention b.{i}.a
            a{i} = .softmax(n{i}) f32[{i}]
          r{i} = operator.add(a{i}, x{j}) f32[{i}]
          Norm b.{i}.m
            m{i} = .rsqrt(r{i}) f32[{i}]
          MLP b.{i}.f
            f{i} = .gelu(m{i}) f32[{i}]
          x{i} = operator.add(f{i}, r{i}) f32[{i}]
    """
    body = "".join(dedent(block).replace("{i}", str(number)).replace("{j}", str(number - 1)) for number in range(1, 6))
    assert references(net(body, "x0", output="x5")) == []


def test_members_of_a_repeat_have_the_same_references() -> None:
    """The start of a chain is read once more elsewhere, which makes it a shared source; its next links are not."""
    block = """
        A l.{i}.a
          a{i} = .relu(s{j}) f32[2]
        B l.{i}.b
          s{i} = operator.add(a{i}, s{j}) f32[2]
    """
    chain = "".join(dedent(block).replace("{i}", str(number)).replace("{j}", str(number - 1)) for number in (1, 2, 3))
    drawing = net("s0 = torch.zeros() f32[2]\n" + chain + "T t\n  t = operator.add(s3, s0) f32[2]", "x", output="t")
    assert references(drawing)[0] == ("l.1.a", "s0")
    assert [scope.form for scope in drawing.scopes if scope.form != "module"] == []
