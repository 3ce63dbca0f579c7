"""Pictures of a drawing: DOT, SVG and HTML."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from textwrap import dedent
from xml.etree import ElementTree

from fx_lsp.analysis.graph.dot import dot
from fx_lsp.analysis.graph.drawing import Drawing
from fx_lsp.analysis.graph.hierarchy import draw
from fx_lsp.analysis.graph.html import html
from fx_lsp.analysis.graph.svg import svg
from tests.analysis.graph.graphs import graph

NET = """
    Net
      x = input() f32[2, 3]
      Block b.0
        y0 = .relu(x) f32[2, 3]
      Block b.1
        y1 = .relu(y0) f32[2, 3]
      w = parameter(head.weight) f32[4, 3]
      h = torch.nn.functional.linear(y1, w) f32[2, 4]
      z = operator.add(h, x) failed
"""
SPACE = "{http://www.w3.org/2000/svg}"
HOSTILE = "a<script>\"\\'&]]></script>\x07\ud800\uffff"


def drawing(text: str = NET) -> Drawing:
    """The drawing of a graph written as text."""
    return draw(graph(text))


def hostile() -> Drawing:
    """Every text that comes from the model is one that would break out."""
    made = drawing()
    return replace(
        made,
        name=HOSTILE,
        nodes=tuple(replace(one, title=HOSTILE, code=HOSTILE, target=HOSTILE, name=HOSTILE) for one in made.nodes),
        scopes=tuple(replace(one, title=HOSTILE, path=HOSTILE) for one in made.scopes),
        values=tuple(replace(one, label=HOSTILE) for one in made.values),
    )


def test_dot() -> None:
    written = re.sub(r", tooltip=.*?\]", "]", dot(drawing()))
    expected = """
          n0 [label="x"];
          subgraph cluster_1 {
            label="Block × 2\\nb.0 … b.1"; fontsize=11; color="#999999";
            n1 [label="relu"];
          }
          n3 [label="linear\\nweight"];
          n4 [label="+"];
          n1 -> n3 [label="f32[2, 3]"];
          n0 -> n1 [label="f32[2, 3]"];
    """
    for line in dedent(expected).strip("\n").split("\n"):
        assert line.strip() in written
    assert written.count("subgraph") == 1


def test_the_failing_node_is_red_in_dot() -> None:
    (line,) = [line for line in dot(drawing()).split("\n") if '"#c00000"' in line and "label" in line]
    assert line.strip().startswith('n4 [label="+"')


def test_dot_escapes() -> None:
    written = dot(hostile())
    strings = re.findall(r'"(?:[^"\\]|\\.)*"', written)
    assert HOSTILE.replace("\\", "\\\\").replace('"', '\\"') in written
    assert re.sub(r"[\w\s{}\[\]=;,>-]", "", "".join(re.split(r'"(?:[^"\\]|\\.)*"', written))) == ""
    assert strings


def test_svg_is_xml_with_everything_in_it() -> None:
    root = ElementTree.fromstring(svg(drawing()))
    texts = [element.text for element in root.iter(f"{SPACE}text")]
    assert texts.count("relu") == 1, "the members of a repeat stand once"
    assert {"Net", "Block × 2", "b.0 … b.1", "x", "linear", "weight", "+", "f32[2, 3]", "f32[2, 4]"} <= set(texts)
    (failed,) = [element for element in root.iter() if element.get("class") == "node operation failed"]
    assert failed.get("data-node") == "4"
    description = root.find(f"{SPACE}desc")
    assert description is not None
    assert description.text == "The FX graph of Net: 4 operations. It fails at z."
    assert root.get("role") == "img"


def test_every_edge_ends_in_the_picture() -> None:
    root = ElementTree.fromstring(svg(drawing()))
    width, height = (float(root.get(name, "")) for name in ("width", "height"))
    paths = [element.get("d", "") for element in root.iter(f"{SPACE}path") if element.get("class") == "edge"]
    assert len(paths) == 7
    for path in paths:
        x, y = map(float, re.findall(r"[\d.]+", path)[:2])
        assert 0 <= x <= width
        assert 0 <= y <= height


def test_svg_escapes() -> None:
    root = ElementTree.fromstring(svg(hostile()))
    texts = [element.text for element in root.iter(f"{SPACE}text")]
    assert re.sub("[\x07\ud800\uffff]", "�", HOSTILE) in texts
    assert not list(root.iter(f"{SPACE}script"))


def test_html_loads_nothing_and_escapes() -> None:
    written = html(hostile())
    assert "default-src 'none'" in written
    assert not re.findall(r"(?:src|href)=", written.replace("default-src=", ""))
    assert written.count("<script") == 2
    assert written.count("</script>") == 2


def test_html_knows_every_node_and_scope_in_the_picture() -> None:
    made = drawing()
    found = re.search(r'<script id="about" type="application/json">(.*?)</script>', html(made), re.DOTALL)
    assert found is not None
    about = json.loads(found[1])
    assert set(about) == {"s0", "n0", "s1", "n1", "n3", "n4"}, "the second member of the repeat is not shown"
    assert about["n3"] == [
        "linear · h",
        [
            ["op", "call_function"],
            ["target", "torch.nn.functional.linear"],
            ["code", "h = torch.nn.functional.linear(y1, w)"],
            ["inputs", "f32[2, 3]"],
            ["output", "f32[2, 4]"],
            ["holds", "head.weight f32[4, 3]"],
        ],
    ]


def test_the_script_of_the_page_is_the_one_its_policy_allows() -> None:
    import base64
    import hashlib

    written = html(drawing())
    script = written.rpartition("<script>")[2].partition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in written
