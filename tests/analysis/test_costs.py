"""What things cost, in words: numbers, hovers, lenses, hints, tables, formulas and plots."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from fx_lsp.analysis.cost_table import as_json, below, line_rows, module_rows, summary, table
from fx_lsp.analysis.costs import intensity, operations, share, size, with_formulas
from fx_lsp.analysis.hints import all_hints
from fx_lsp.analysis.hover import hover
from fx_lsp.analysis.lenses import lenses
from fx_lsp.analysis.moved import moved
from fx_lsp.analysis.plot import Line, Panel, plot
from fx_lsp.analysis.snapshot import Snapshot
from fx_lsp.model.costs import Cost, Costs, ExpressionCost, LineCost, ModuleCost, Training
from fx_lsp.model.span import Span
from tests.analysis.facts import PATH, changed, snapshot

SOURCE = """
class Net(nn.Module):
#     ^^^ class f32[2] -> f32[3]
    def forward(self, x):
        h = self.fc(x)
#       ^ bind f32[8]
#           ^^^^^^^^^^ op linear f32[2] -> f32[8]
        y = h + 1
#       ^ bind f32[9]
#           ^^^^^ op add f32[8] -> f32[8]
        return y
"""
PRODUCT = Cost(flops=8_100_000_000, backward=16_200_000_000, moved=180_000_000, made=62_000_000, kept=31_000_000)
SUM = Cost(moved=600, made=200)
ALL = PRODUCT + SUM
TRAINING = Training(900_000_000, 500_000_000, 400_000_000, 50_000_000, 24_300_000_000, "train")
CALLS, NEXT = Span(PATH, 3, 12, 3, 22), Span(PATH, 4, 12, 4, 17)
COSTS = Costs(
    ALL,
    parameters=100_000_000,
    weights=400_000_000,
    peak=462_000_000,
    expressions=(ExpressionCost(CALLS, PRODUCT, PRODUCT), ExpressionCost(NEXT, SUM, SUM)),
    lines=(LineCost((0,), PRODUCT), LineCost((1,), SUM)),
    modules=(
        ModuleCost(PATH, "Net", "", 0, ALL, 100_000_000, 1),
        ModuleCost("", "Linear", "fc", 0, PRODUCT, 100_000_000, 1),
    ),
    training=TRAINING,
)


def known(costs: Costs = COSTS) -> Snapshot:
    return changed(snapshot(SOURCE), costs=costs)


@pytest.mark.parametrize(
    ("number", "flops", "memory"),
    [
        (0, "0 FLOPs", "0 B"),
        (12, "12 FLOPs", "12 B"),
        (1500, "1.5 kFLOPs", "1.5 kB"),
        (8_100_000_000, "8.1 GFLOPs", "8.1 GB"),
    ],
)
def test_numbers_have_units(number: int, flops: str, memory: str) -> None:
    assert (operations(number), size(number)) == (flops, memory)


@pytest.mark.parametrize(
    ("part", "whole", "text"), [(34, 100, "34 %"), (1, 300, "0.3 %"), (1, 10**6, "0.1 %"), (0, 5, "0 %"), (0, 0, "0 %")]
)
def test_shares(part: int, whole: int, text: str) -> None:
    assert share(part, whole) == text


def test_intensity() -> None:
    assert intensity(Cost(flops=450, moved=10)) == "45 FLOPs per byte"
    assert intensity(Cost(flops=4, moved=8)) == "0.5 FLOPs per byte"
    assert intensity(Cost()) == "0.0 FLOPs per byte"


def test_a_step_of_adam_holds_its_states_and_two_tensors() -> None:
    assert TRAINING.with_optimizer("sgd") == 900_000_000
    assert TRAINING.with_optimizer("adam") == 1_700_000_000
    late = replace(TRAINING, after=890_000_000)
    assert late.with_optimizer("adam") == 890_000_000 + 100_000_000 + 800_000_000


def test_a_hover_says_what_an_expression_costs() -> None:
    found = hover(known(), 3, 14)
    assert found is not None
    line = "8.1 GFLOPs, 100 % of the example · 16.2 GFLOPs backward · 45 FLOPs per byte · "
    assert line + "62.0 MB of new memory · 31.0 MB kept for backward" in found.markdown.split("\n\n")
    other = hover(known(), 4, 14)
    assert other is not None
    assert "200 B of new memory" in other.markdown.split("\n\n")
    without = hover(snapshot(SOURCE), 3, 14)
    assert without is not None
    assert "FLOPs" not in without.markdown


def test_a_lens_says_what_a_class_costs() -> None:
    (lens,) = lenses(known())
    assert lens.title == (
        "f32[2] → f32[3] · 1.2 M params · 8.1 GFLOPs · 31.0 MB activations · 1.7 GB to train with Adam · from call"
    )
    (lens,) = lenses(known(replace(COSTS, training=None)))
    assert "train" not in lens.title


def test_hints_at_the_ends_of_lines() -> None:
    made = known()
    hints = [hint for hint in all_hints(made) if hint.kind == "cost"]
    assert [(hint.span.line, hint.label, hint.variants) for hint in hints] == [(3, "8.1 GFLOPs · 100 %", ())]
    assert hints[0].span.column == len(made.text.split("\n")[2])
    found = hover(made, 3, hints[0].span.column)
    assert found is not None
    assert "linear" in found.markdown  # a remark is none of the names that a hover is about


def test_costs_move_with_their_lines_and_go_with_them() -> None:
    made = known()
    below_it = moved(made, "# new\n" + made.text).traces[0].reply.costs
    assert below_it is not None
    assert [(line, cost) for _, line, cost in below_it.of_lines()] == [(4, PRODUCT), (5, SUM)]
    edited = moved(made, made.text.replace("self.fc(x)", "self.fd(x)")).traces[0].reply.costs
    assert edited is not None
    assert [one.span for one in edited.expressions] == [NEXT]
    assert [(line, cost) for _, line, cost in edited.of_lines()] == [(4, SUM)]


def module(path: str, name: str, flops: int, file: str = "", parameters: int = 5) -> ModuleCost:
    return ModuleCost(file, name, path, 0, Cost(flops=flops, kept=len(path)), parameters, 1)


def test_equal_modules_of_a_list_are_one_row() -> None:
    modules = (
        module("", "Net", 60, PATH), module("h.0", "Block", 20, PATH), module("h.0.up", "Linear", 10),
        module("h.1", "Block", 20, PATH), module("h.1.up", "Linear", 10), module("h.2", "Block", 15, PATH),
        module("norm_1", "LayerNorm", 0), module("norm_2", "LayerNorm", 0),
    )  # fmt: skip
    costs = replace(COSTS, modules=modules)
    rows = [(row.name, row.times, row.depth, row.total.flops, row.parameters) for row in module_rows(costs, None, 2)]
    assert rows == [
        ("Net", 1, 0, 60, 5), ("h.0", 2, 1, 40, 10), ("h.0.up", 2, 2, 20, 10), ("h.2", 1, 1, 15, 5),
        ("norm_1", 1, 1, 0, 5), ("norm_2", 1, 1, 0, 5),
    ]  # fmt: skip
    top = below(costs, "Block", PATH)
    assert top is not None
    assert [row.name for row in module_rows(costs, top, 0)] == ["h.0"]
    assert [row.name for row in module_rows(costs, top, 1)] == ["h.0", "h.0.up"]


def test_tables() -> None:
    text = known().text
    assert summary(replace(COSTS, formula="3*B")) == [
        ("forward", "8.1 GFLOPs · 45 FLOPs per byte · 462.0 MB at its peak"),
        ("", "FLOPs = 3*B"),
        ("parameters", "100.0 M · 400.0 MB with buffers"),
        ("training step", "24.3 GFLOPs · 31.0 MB kept for backward"),
        ("its peak", "900.0 MB with SGD · 1.7 GB with Adam"),
    ]
    assert summary(replace(COSTS, training=None, why="no"))[-1] == ("training", "not known: no")
    assert table(line_rows(COSTS, lambda path: text), ALL, "line") == [
        "line                             FLOPs  share     backward     kept",
        "model.py:3  h = self.fc(x)  8.1 GFLOPs  100 %  16.2 GFLOPs  31.0 MB",
        "model.py:4  y = h + 1",
    ]
    data = as_json(COSTS, line_rows(COSTS, lambda path: text))
    assert data["training"]["peak"] == {"sgd": 900_000_000, "adam": 1_700_000_000}
    assert [one["class"] for one in data["modules"]] == ["Net", "Linear"]


def varied(formula: str, flops: int = PRODUCT.flops) -> Costs:
    product = replace(PRODUCT, flops=flops)
    return Costs(
        ALL, 0, 0, 0, (ExpressionCost(CALLS, Cost(), product, formula),), (),
        (ModuleCost(PATH, "Net", "", 0, ALL, 0, 1, "3*B"), ModuleCost("", "Linear", "fc", 0, product, 0, 1, formula)),
        formula="3*B",
    )  # fmt: skip


def test_formulas_are_shown_where_both_runs_counted_the_same() -> None:
    made = known(with_formulas(COSTS, varied("2*B*T*768*2304")))
    found = hover(made, 3, 14)
    assert found is not None
    assert "\n8.1 GFLOPs = `2*B*T*768*2304`, 100 % of the example · " in found.markdown
    assert " · 8.1 GFLOPs = 3*B · " in lenses(made)[0].title
    other = hover(known(with_formulas(COSTS, varied("2*B", flops=5))), 3, 14)
    assert other is not None
    assert "\n8.1 GFLOPs, 100 % of the example" in other.markdown
    long = known(with_formulas(COSTS, varied(" + ".join(["200*B"] * 40))))
    assert "200*B" not in hover(long, 3, 14).markdown  # type: ignore[union-attr]


def test_a_hover_on_the_name_of_a_class() -> None:
    found = hover(known(with_formulas(COSTS, varied("2*B*T*768*2304"))), 1, 7)
    assert found is not None
    assert found.span == Span(PATH, 1, 6, 1, 9)
    assert found.markdown.split("\n\n")[:3] == [
        "**`Net`**",
        "- `f32[2] → f32[3]` · 1.2 M params",
        "8.1 GFLOPs = `3*B`, 100 % of the example · 16.2 GFLOPs backward · 45 FLOPs per byte · "
        "62.0 MB of new memory · 31.0 MB kept for backward",
    ]


def test_rows_have_formulas_of_all_that_they_stand_for() -> None:
    costs = with_formulas(COSTS, varied("2*B + 1"))
    text = known().text
    assert [line.split("  ")[-1] for line in table(module_rows(costs, None, 2), ALL, "module")] == [
        "FLOPs =",
        "3*B",
        "2*B + 1",
    ]
    assert [row.formula for row in line_rows(costs, lambda path: text)] == ["2*B + 1", ""]
    several = [replace(row, times=12) for row in module_rows(costs, None, 2)]
    assert [line.split("  ")[-1] for line in table(several, ALL, "module")[1:]] == ["12*3*B", "12*(2*B + 1)"]
    data = as_json(costs, line_rows(costs, lambda path: text))
    assert [one["formula"] for one in data["modules"]] == ["3*B", "2*B + 1"]
    assert [one["formula"] for one in data["lines"]] == ["2*B + 1", None]


def test_a_plot_has_a_line_for_each_number() -> None:
    panels = [
        Panel("FLOPs", (Line("forward", (10, 20, 40)), Line("step", (30, 60, 120))), operations),
        Panel("memory", (Line("<peak>", (0, 0, 0)),), size),
    ]
    picture = ElementTree.fromstring(plot("Net & more", "T", [16, 32, 64], panels))
    space = "{http://www.w3.org/2000/svg}"
    lines = picture.findall(f".//{space}polyline")
    assert len(lines) == 3
    points = [[float(part) for part in point.split(",")] for point in lines[0].attrib["points"].split()]
    assert points[0][0] < points[1][0] < points[2][0]
    assert points[0][1] > points[1][1] > points[2][1]
    told = [one.text for one in picture.findall(f".//{space}circle/{space}title")]
    assert told[:2] == ["forward, T=16: 10 FLOPs", "forward, T=32: 20 FLOPs"]
    assert told[-1] == "<peak>, T=64: 0 B"
    assert picture.find(f"{space}title").text == "Net & more"  # type: ignore[union-attr]
