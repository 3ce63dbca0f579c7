"""A graph as Python: what it looks like, what its lines come from, and that it is Python."""

from __future__ import annotations

from dataclasses import replace
from textwrap import dedent

from fx_lsp.analysis.graph.code import code
from fx_lsp.model.graph import Graph
from fx_lsp.model.value import Group, TensorType
from tests.analysis.graph.graphs import graph

NET = """
    Net
      x = input() f32[2, 3]
      scale = input()
      w = parameter(fc.weight) f32[4, 3] line=9
      h = torch.nn.functional.linear(x, w) f32[2, 4] line=9
      Block b.0 line=10
        y = .relu(h) f32[2, 4] line=4
        z = .relu(y) f32[2, 4] line=4
        s = torch.split(z, 2) (f32[2, 2], f32[2, 2]) line=5
      o = torch.cat(s) f32[4, 2]
      output(o) f32[4, 2] line=11
"""


def text(made: Graph) -> str:
    """The code; it must be Python."""
    written = code(made).text
    compile(written, "graph.py", "exec")
    return written


def test_the_whole() -> None:
    made = replace(graph(NET), signature="def forward(self, x, scale = 2.0):", imports=("from math import inf",))
    expected = """
        import torch
        from math import inf


        class Net(torch.nn.Module):
            def forward(self, x: "f32[2, 3]", scale = 2.0):
                # model.py:9
                w: "f32[4, 3]" = self.fc.weight
                h: "f32[2, 4]" = torch.nn.functional.linear(x, w)

                # b.0: Block, model.py:4
                y: "f32[2, 4]" = h.relu()
                z: "f32[2, 4]" = y.relu()
                # model.py:5
                s: "(f32[2, 2], f32[2, 2])" = torch.split(z, 2)

                # Net
                o: "f32[4, 2]" = torch.cat(s)
                # model.py:11
                return o
    """
    assert text(made) == dedent(expected).lstrip("\n")


def test_lines_are_linked_to_their_source() -> None:
    made = graph(NET)
    written = code(made)
    lines = written.text.split("\n")
    links = [(lines[line].strip(), made.spans[span].line) for line, span in written.lines]
    assert links == [
        ("# model.py:9", 9),
        ('w: "f32[4, 3]" = self.fc.weight', 9),
        ('h: "f32[2, 4]" = torch.nn.functional.linear(x, w)', 9),
        ("# b.0: Block, model.py:4", 10),
        ('y: "f32[2, 4]" = h.relu()', 4),
        ('z: "f32[2, 4]" = y.relu()', 4),
        ("# model.py:5", 5),
        ('s: "(f32[2, 2], f32[2, 2])" = torch.split(z, 2)', 5),
        ("# model.py:11", 11),
        ("return o", 11),
    ]


def test_what_failed_is_a_comment() -> None:
    made = graph("Net\n  x = input() f32[2]\n  y = torch.mm(x) failed line=3")
    assert text(made).split("\n")[-4:] == [
        "        # model.py:3",
        "        # This failed: y = torch.mm(x)",
        "        pass",
        "",
    ]


def test_what_was_left_out_is_said() -> None:
    made = replace(graph("Net\n  x = input() f32[2]\n  y = .relu(x) f32[2]"), omitted=7)
    assert "        # 7 more operations are left out" in text(made)


def test_a_long_signature_has_a_line_for_each_argument() -> None:
    names = [f"argument_number_{number}" for number in range(8)]
    made = graph("\n".join(["Net", *(f"  {name} = input() f32[2]" for name in names), "  output()"]))
    made = replace(made, signature=f"def forward(self, {', '.join(names)}, *rest, **more):")
    assert text(made).split("\n")[4:8] == [
        "    def forward(",
        "        self,",
        '        argument_number_0: "f32[2]",',
        '        argument_number_1: "f32[2]",',
    ]
    assert "        *rest,\n        **more,\n    ):\n" in text(made)


def test_quotes_in_values_and_names_of_inner_classes() -> None:
    made = graph("Net\n  x = input() f32[2]\n  y = torch.f(x) f32[2]\n  output(y)")
    odd = Group("dict", (TensorType("f32", (2,)),), ("'a\"\\\\'",))
    assert text(replace(made, name="make.<locals>.Net", values=(odd,))).count("class Net(torch.nn.Module):") == 1
