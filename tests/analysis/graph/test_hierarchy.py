"""Scopes, their edges, and what is no box of its own."""

from __future__ import annotations

from dataclasses import replace
from textwrap import dedent

from fx_lsp.analysis.graph.drawing import Drawing, DrawnNode, Held
from fx_lsp.analysis.graph.hierarchy import draw
from tests.analysis.graph.graphs import graph
from tests.analysis.graph.outline import outline


def drawn(text: str) -> Drawing:
    """The drawing of a graph written as text."""
    return draw(graph(text))


def node(drawing: Drawing, name: str) -> DrawnNode:
    """The one box of that name."""
    (found,) = [node for node in drawing.nodes if node.name == name and node.role != "reference"]
    return found


def check(text: str, expected: str) -> None:
    """The drawing looks like that."""
    assert outline(drawn(text)) == dedent(expected).strip("\n")


def test_values_cross_borders() -> None:
    check(
        """
        Net
          x = input() f32[2, 3]
          Block b
            Inner b.i
              y = .relu(x) f32[2, 3]
            z = operator.add(x, y) f32[2, 3]
          w = operator.mul(z, x) f32[2, 3]
          output(w) f32[2, 3]
        """,
        """
        Net <>
          x: x (input) f32[2, 3]
          Block <b>
            Inner <b.i>
              y: relu f32[2, 3]
              | -> y
              y -> |
            z: + f32[2, 3]
            | -> b.i
            | -> z
            b.i -> z
            z -> |
          w: × f32[2, 3]
          output: output (output) f32[2, 3]
          x -> b
          b -> w
          x -> w
          w -> output
        """,
    )


def test_each_value_has_an_entry_and_an_exit_of_its_own() -> None:
    check(
        """
        Net
          x = input() f32[2]
          y = input() f32[2]
          Block b
            p = operator.add(y, x) f32[2]
            q = operator.sub(x, y) f32[2]
          r = operator.mul(q, p) f32[2]
          s = operator.mul(q, q) f32[2]
          output(r, s)
        """,
        """
        Net <>
          x: x (input) f32[2]
          y: y (input) f32[2]
          Block <b>
            p: + f32[2]
            q: - f32[2]
            | -> p
            |.1 -> p
            |.1 -> q
            | -> q
            p -> |
            q -> |.1
          r: × f32[2]
          s: × f32[2]
          output: output (output)
          y -> b
          x -> b.1
          b.1 -> r
          b -> r
          b.1 -> s
          r -> output
          s -> output
        """,
    )


def test_parameters_and_buffers_are_held_by_their_readers() -> None:
    drawing = drawn(
        """
        Net
          x = input() f32[2, 3]
          w = parameter(fc.weight) f32[4, 3] parameters=12
          m = buffer(mask) b8[2]
          h = torch.nn.functional.linear(x, w) f32[2, 4]
          i = torch.where(m, h) f32[2, 4]
          Inner i
            j = torch.where(m, i, w) f32[2, 4]
          output(j) f32[2, 4]
        """
    )
    assert [one.name for one in drawing.nodes] == ["x", "h", "i", "j", "output"]
    assert node(drawing, "h").held == (Held("fc.weight", 1, True),)
    assert node(drawing, "h").parameters == 12
    assert node(drawing, "h").inputs == (0,)
    assert node(drawing, "j").held == (Held("mask", 2, False), Held("fc.weight", 1, True))


def test_what_the_model_returns_of_its_own_is_a_constant() -> None:
    check(
        """
        Net
          w = parameter(weight) f32[4]
          o = constant(cache)
          x = operator.neg(w) f32[4]
          output(x, w, o) (f32[4], f32[4])
        """,
        """
        Net <>
          w: weight (constant) f32[4]
          x: - f32[4] holds weight
          output: output (output) (f32[4], f32[4]) holds cache
          x -> output
          w -> output
        """,
    )


def test_unseen_values_are_drawn_and_counted() -> None:
    drawing = drawn(
        """
        Net
          x = input() f32[2]
          u = unseen(_tensor_constant0) f32[2]
          y = operator.add(x, u) f32[2]
          output(y) f32[2]
        """
    )
    assert drawing.unseen == 1
    assert node(drawing, "u").role == "constant"
    assert "u -> y" in outline(drawing)


def test_taking_a_tuple_apart_is_no_box() -> None:
    drawing = drawn(
        """
        Net
          x = input() f32[2, 3]
          s = torch.split(x, 2) (f32[2, 2], f32[2, 1])
          a = operator.getitem(s, 0) f32[2, 2]
          b = operator.getitem(s, 1) f32[2, 1]
          Block b
            c = operator.neg(b) f32[2, 1]
          d = operator.add(a, c) f32[2, 2]
          e = operator.getitem(d, 0) f32[2]
          output(e) f32[2]
        """
    )
    assert [one.name for one in drawing.nodes] == ["x", "s", "c", "d", "e", "output"]
    labels = {
        (edge.source, edge.target): drawing.values[edge.value].label
        for edge in drawing.scopes[0].edges
        if edge.source == 1
    }
    assert labels == {(1, -2): "f32[2, 1]", (1, 3): "f32[2, 2]"}


def test_an_unread_part_stays_a_box() -> None:
    drawing = drawn(
        """
        Net
          x = input() (f32[2], f32[2])
          a = operator.getitem(x, 0) f32[2]
          output()
        """
    )
    assert [one.name for one in drawing.nodes] == ["x", "a", "output"]


def test_arguments_without_tensors_are_left_out() -> None:
    drawing = drawn(
        """
        Net
          x = input() f32[2]
          flag = input()
          y = .relu(x) f32[2]
          output(y) f32[2]
        """
    )
    assert [one.name for one in drawing.nodes] == ["x", "y", "output"]


def test_an_edge_without_a_tensor_has_an_empty_value() -> None:
    drawing = drawn(
        """
        Net
          x = input() f32[2]
          e = torch.amp.autocast_mode._enter_autocast()
          y = .relu(x) f32[2]
          f = torch.amp.autocast_mode._exit_autocast(e)
          output(y) f32[2]
        """
    )
    (edge,) = [edge for edge in drawing.scopes[0].edges if drawing.nodes[edge.target].name == "f"]
    assert drawing.values[edge.value].label == ""


def test_a_failure_marks_the_way_to_it() -> None:
    check(
        """
        Net
          x = input() f32[2]
          Fine a
            y = .relu(x) f32[2]
          Outer b
            Inner b.c
              z = operator.add(y, x) failed
        """,
        """
        Net <> FAILED
          x: x (input) f32[2]
          Fine <a>
            y: relu f32[2]
            | -> y
            y -> |
          Outer <b> FAILED
            Inner <b.c> FAILED
              z: + FAILED
              | -> z
              |.1 -> z
            | -> b.c
            |.1 -> b.c.1
          x -> a
          a -> b
          x -> b.1
        """,
    )


def test_totals_are_those_of_everything_below() -> None:
    drawing = drawn(
        """
        Net parameters=100
          x = input() f32[2]
          Block b parameters=60
            y = .relu(x) f32[2] flops=3 bytes=8
            z = .relu(y) f32[2] flops=4 bytes=16
          w = @Linear(z) f32[2] flops=5 bytes=32 parameters=40
          output(w) f32[2]
        """
    )
    totals = [(scope.operations, scope.parameters, scope.flops, scope.bytes) for scope in drawing.scopes]
    assert totals == [(3, 100, 12, 56), (2, 60, 7, 24)]


def test_something_else_in_the_middle_of_a_call_splits_it() -> None:
    """Levels that are made from exported graphs may order nodes as they like; no box may wait for itself."""
    made = graph(
        """
        Net
          x = input() f32[2]
          A a
            y = .relu(x) f32[2]
          z = .relu(y) f32[2]
          w = operator.add(y, z) f32[2]
          output(w) f32[2]
        """
    )
    nodes = tuple(replace(one, scope=1) if one.name == "w" else one for one in made.nodes)
    drawing = draw(replace(made, nodes=nodes))
    assert [(scope.path, scope.key) for scope in drawing.scopes] == [("", ""), ("a", "a"), ("a", "a/2")]
    assert "a -> a/2" in outline(drawing)
    assert "z -> a/2.1" in outline(drawing)


def test_a_module_in_which_nothing_ran_is_left_out() -> None:
    drawing = drawn(
        """
        Net
          x = input() f32[2]
          Identity i
          output(x) f32[2]
        """
    )
    assert [scope.title for scope in drawing.scopes] == ["Net"]


def test_an_empty_graph() -> None:
    (scope,) = drawn("Net").scopes
    assert (scope.title, scope.children, scope.edges, scope.key) == ("Net", (), (), "")
