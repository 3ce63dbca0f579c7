"""A graph as JSON for other programs."""

from __future__ import annotations

import json
from typing import Any

from fx_lsp.analysis.graph.as_json import as_json
from tests.analysis.graph.graphs import graph

SOURCE = "\n".join(["é" * 10 + "x" * 20] * 10)


def report(text: str) -> dict[str, Any]:
    """What a reader gets."""
    return json.loads(as_json(graph(text), lambda path: SOURCE, "/w"))


def test_the_whole() -> None:
    found = report(
        """
        Net parameters=12
          x = input() f32[2, 3]
          Linear fc line=3 parameters=12
            w = parameter(fc.weight) f32[4, 3] parameters=12
            h = torch.nn.functional.linear(x, w) f32[2, 4] flops=48 bytes=32 line=3
          s = torch.split(h, 2) (f32[2, 2], f32[2, 2])
          output(s)
        """
    )
    nodes, modules = found.pop("nodes"), found.pop("modules")
    assert found == {"version": 1, "level": "operator", "name": "Net", "failed": None, "omitted": 0}
    span = {"path": "model.py", "line": 3, "column": 4, "endLine": 3, "endColumn": 10}
    root, fc = {"path": "", "call": 0}, {"path": "fc", "call": 0}
    assert modules == [
        {**root, "class": "Net", "parent": None, "parameters": 12, "span": None},
        {**fc, "class": "Linear", "parent": root, "parameters": 12, "span": span},
    ]
    assert [node["name"] for node in nodes] == ["x", "w", "h", "s", "output"]
    assert nodes[2] == {
        "name": "h",
        "op": "call_function",
        "target": "torch.nn.functional.linear",
        "code": "h = torch.nn.functional.linear(x, w)",
        "inputs": ["x", "w"],
        "value": "f32[2, 4]",
        "dtype": "f32",
        "shape": [2, 4],
        "parameters": 0,
        "flops": 48,
        "bytes": 32,
        "source": "",
        "module": fc,
        "span": span,
    }
    assert [(node["value"], node["dtype"], node["shape"]) for node in nodes[3:]] == [
        ("(f32[2, 2], f32[2, 2])", None, None),
        (None, None, None),
    ]


def test_the_failing_node_is_named() -> None:
    assert report("Net\n  x = input() f32[2]\n  y = .mm(x) failed")["failed"] == "y"


def test_a_node_is_a_line() -> None:
    text = as_json(graph("Net\n  x = input() f32[2]\n  output(x) f32[2]"), lambda path: "", "/w")
    assert [line.count('"op"') for line in text.split("\n")].count(1) == 2
