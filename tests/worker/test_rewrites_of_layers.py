"""Rewrites that change what layers a class makes: what they write, that old weights load, and that it computes the
same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fx_lsp.analysis.actions import applied
from fx_lsp.analysis.rewrites import offers
from fx_lsp.analysis.snapshot import Snapshot, Trace
from fx_lsp.model.example import Example
from tests.worker.test_rewrites import CALL, compared, found, source
from tests.worker.tracing import trace

MERGED = "merged-projections"
THREE = """dim, inner = 8, 4
        self.to_a = nn.Linear(dim, inner, bias=False)  # first
        self.to_b = nn.Linear(dim, inner, bias=False)
        self.to_c = nn.Linear(
            dim,
            inner,  # as wide
            bias=False,
        )"""
GATED = """self.w1 = nn.Linear(8, 16)
        self.w2 = nn.Linear(16, 8)
        self.w3 = nn.Linear(8, 16)"""
UNEQUAL = """wide, narrow = 8, 4
        self.a_proj = nn.Linear(8, wide + narrow)
        self.b_proj = nn.Linear(8, narrow)"""
SAME = [
    (
        THREE,
        "a = self.to_a(x)  # one\n        b = self.to_b(x)\n        c = self.to_c(x)\n        return a + b * c",
        ["        # first\n        self.to_abc = nn.Linear(\n            dim,\n            3 * inner,  # as wide\n",
         "a, b, c = self.to_abc(x).chunk(3, dim=-1)  # one\n        return a + b * c\n"],
    ),
    (THREE, "a, b, c = self.to_a(x), self.to_b(x), self.to_c(x); return a + b * c",
     ["a, b, c = self.to_abc(x).chunk(3, dim=-1)\n"]),
    (GATED, "return self.w2(F.silu(self.w1(x)) * self.w3(x))",
     ["        self.w1_w3 = nn.Linear(8, 32)\n",
      "        w1, w3 = self.w1_w3(x).chunk(2, dim=-1)\n        return self.w2(F.silu(w1) * w3)\n"]),
    (UNEQUAL, "a = self.a_proj(x).relu(); b = self.b_proj(x).view(2, -1, 4); return a.sum() + b",
     ["        self.ab_proj_sizes = [wide + narrow, narrow]\n"
      "        self.ab_proj = nn.Linear(8, (wide + narrow) + narrow)\n",
      "        a_proj, b_proj = self.ab_proj(x).split(self.ab_proj_sizes, dim=-1)\n        a = a_proj.relu()\n"]),
    (GATED.replace("3 = nn.Linear(8, 16)", "3 = nn.Linear(8, 4)"), "a, b = self.w1(x), self.w3(x); return a, b",
     ["nn.Linear(8, 20)", "a, b = self.w1_w3(x).split([16, 4], dim=-1)"]),
]  # fmt: skip
NEAR = [
    (GATED, "return F.silu(self.w1(x)) * self.w3(x + 1)"),
    (GATED, "x = self.w1(x).sum() + x; return self.w3(x)"),
    (GATED, "a = self.w1(x); x = x + 1; return a + self.w3(x)"),
    (GATED, "a = self.w1(x); b = x + 1; c = self.w3(x); return a + b.sum() + c"),
    (GATED, "return self.w1(x) + self.w3(x) + self.w3(x)"),
    (GATED, "return self.w1(x) if x is None else self.w1(x) + self.w3(x)"),
    (GATED.replace("(8, 16)", "(8, 16, bias=False)", 1), "return self.w1(x) + self.w3(x)"),
    (GATED + "\n        self.w3.weight = self.w1.weight", "return self.w1(x) + self.w3(x)"),
    (GATED + "; self.w1_w3 = 1", "return self.w1(x) + self.w3(x)"),
    ("if True: self.w1 = nn.Linear(8, 8)\n        self.w3 = nn.Linear(8, 8)", "return self.w1(x) + self.w3(x)"),
    ("self.w1 = nn.Linear(8, 8);self.w3 = nn.Linear(8, 8)", "return self.w1(x) + self.w3(x)"),
]
WRONG = [
    (GATED, "return self.w1(x) + x.data.mul_(2).sum() + self.w3(x)"),
    (GATED, "a = self.w1(x); b = self.w3(x); a *= 2; return a + b"),
    (GATED + "\n        self.kept = len([*self.children()])", "return self.w1(x) + self.kept * self.w3(x)"),
]
"""What changes the input in between, what writes to a part of the product, what counts the layers."""


@pytest.mark.parametrize(("init", "body", "written"), SAME)
def test_layers_of_one_input_are_made_one(tmp_path: Path, init: str, body: str, written: list[str]) -> None:
    text = source(body, init)
    offer, path = found(tmp_path, text, MERGED)
    assert offer is not None
    new = applied(text, offer.edit.changes)
    assert [one for one in written if one not in new] == []
    answer = compared(tmp_path, path, text, offer)
    assert (answer.why, bool(answer.keys), offer.unsafe) == (
        "",
        True,
        "the state dict has other entries; older ones still load",
    )


@pytest.mark.parametrize(("init", "body"), NEAR)
def test_layers_that_have_to_stay_apart_are_no_offer(tmp_path: Path, init: str, body: str) -> None:
    assert found(tmp_path, source(body, init), MERGED)[0] is None


@pytest.mark.parametrize(("init", "body"), WRONG)
def test_layers_that_are_not_the_same_as_one_are_found_out(tmp_path: Path, init: str, body: str) -> None:
    text = source(body, init)
    offer, path = found(tmp_path, text, MERGED)
    assert offer is not None
    assert compared(tmp_path, path, text, offer).why


def test_what_only_fails_in_the_backward_pass_does_not_run(tmp_path: Path) -> None:
    text = source("a = self.w1(x); b = self.w3(x); a *= 2; return a + b", GATED)
    offer, path = found(tmp_path, text, MERGED)
    assert offer is not None
    assert not compared(tmp_path, path, text, offer).runs


@pytest.mark.parametrize(
    ("made", "body", "title"),
    [
        ("self.extra = nn.Parameter(torch.ones(8))", "return x", "Take the parameter away"),
        ("self.extra = torch.nn.parameter.Parameter(torch.ones(8))  # why", "return x", "Take the parameter away"),
        ("self.extra = nn.Linear(8, 8)", "return x", "Take the layer away"),
        ("self.extra = nn.Parameter(torch.ones(8))", "return x + self.extra", ""),
        ("self.extra = nn.Parameter(torch.ones(8))", "return x + getattr(self, 'ex' + 'tra')", ""),
        ("self.extra = nn.Parameter(torch.ones(8))", "return x + self._parameters['extra']", ""),
        ("self.extra = nn.Parameter(torch.ones(8)); self.other = 1", "return x", ""),
    ],
)
def test_what_is_never_read_is_taken_away(tmp_path: Path, made: str, body: str, title: str) -> None:
    text = source(body, made.replace("; ", ";"))
    offer, _ = found(tmp_path, text, "layer-unused")
    assert (offer.edit.title if offer is not None else "") == title
    if offer is not None:
        assert "self.extra" not in applied(text, offer.edit.changes)
        assert "state dict" in offer.unsafe


def test_what_is_read_with_all_parameters_is_found_out(tmp_path: Path) -> None:
    text = source("return x + sum(one.sum() for one in self.parameters())", "self.extra = nn.Parameter(torch.ones(8))")
    offer, path = found(tmp_path, text, "layer-unused")
    assert offer is not None
    assert "differs by" in compared(tmp_path, path, text, offer).why


PADDED = [
    ("self.conv = nn.Conv1d(5, 4, 3)", "return self.conv(F.pad(x, (1, 1)))", "3, padding=1)\n", "self.conv(x)"),
    ("self.conv = nn.Conv1d(5, 4, (3,),  # wide\n        )",
     "x = F.pad(x, [2, 2], value=0)  # why; return self.conv(x)",
     "nn.Conv1d(5, 4, (3,), padding=2,  # wide\n", "        # why\n        return self.conv(x)"),
    ("self.conv = nn.Conv2d(2, 3, 3, bias=False)", "return self.conv(F.pad(x, (1, 1, 2, 2), 'constant', 0.0))",
     "bias=False, padding=(2, 1))", "self.conv(x)"),
    ("self.pad = 2 * (3 - 1) // 2;self.conv = nn.Conv1d(5, 4, 3, dilation=2)",
     "y = F.pad(x, (self.pad, self.pad)); y = self.conv(y); return y * 2", "2, padding=self.pad)", "self.conv(x)"),
]  # fmt: skip
UNPADDED = [
    ("self.conv = nn.Conv1d(5, 4, 3)", "return self.conv(F.pad(x, (1, 2)))"),
    ("self.conv = nn.Conv1d(5, 4, 3)", "return self.conv(F.pad(x, (1, 1), value=1))"),
    ("self.conv = nn.Conv1d(5, 4, 3)", "return self.conv(F.pad(x, (1, 1), mode='reflect'))"),
    ("self.conv = nn.Conv1d(5, 4, 3);self.pad = 1", "return self.conv(F.pad(x, (self.pad, self.pad)))"),
    ("self.pad = 1;self.conv = nn.Conv1d(5, 4, 3)", "self.pad = 2; return self.conv(F.pad(x, (self.pad, self.pad)))"),
    ("self.conv = nn.Conv1d(5, 4, 3, padding=1)", "return self.conv(F.pad(x, (1, 1)))"),
    ("self.conv = nn.Conv1d(5, 4, (3))", "return self.conv(F.pad(x, (1, 1)))"),
    ("self.conv = nn.Conv1d(5, 4, 3)", "return self.conv(F.pad(x, (1, 1))) + self.conv(x).sum()"),
    ("self.conv = nn.Conv1d(5, 4, 3)", "y = F.pad(x, (1, 1)); return self.conv(y) + y.sum()"),
    ("self.conv = nn.Conv2d(2, 3, 3);self.pad = nn.ReflectionPad2d(1)", "return self.conv(self.pad(x))"),
    ("self.conv = nn.Conv2d(2, 3, 3);self.pad = nn.ZeroPad2d((1, 0, 1, 0))", "return self.conv(self.pad(x))"),
]


@pytest.mark.parametrize(("init", "body", "made", "called"), PADDED)
def test_a_convolution_pads_itself(tmp_path: Path, init: str, body: str, made: str, called: str) -> None:
    text = source(body, init)
    offer, path = found(tmp_path, text, "padding-before-convolution")
    assert offer is not None
    new = applied(text, offer.edit.changes)
    assert made in new
    assert called in new
    assert (compared(tmp_path, path, text, offer).why, offer.unsafe) == ("", "")


@pytest.mark.parametrize("made", ["nn.ZeroPad2d(1)", "nn.ZeroPad2d(padding=(1, 1, 1, 1))"])
def test_a_layer_that_pads_is_called_no_more_where_hooks_do_not_matter(tmp_path: Path, made: str) -> None:
    text = source("y = self.pad(x); return self.conv(y)", f"self.conv = nn.Conv2d(2, 3, 3);self.pad = {made}")
    offer, path = found(tmp_path, text, "padding-before-convolution")
    assert offer is not None
    assert "hooks" in offer.unsafe
    new = applied(text, offer.edit.changes)
    assert "nn.Conv2d(2, 3, 3, padding=1)" in new
    assert "return self.conv(x)" in new
    assert not compared(tmp_path, path, text, offer).why


@pytest.mark.parametrize(("init", "body"), UNPADDED)
def test_what_no_convolution_pads_is_no_offer(tmp_path: Path, init: str, body: str) -> None:
    assert found(tmp_path, source(body, init), "padding-before-convolution")[0] is None


def test_a_padding_that_is_read_is_found_out(tmp_path: Path) -> None:
    body = "n = sum(one.padding[0] for one in self.children() if isinstance(one, nn.Conv1d))"
    text = source(f"{body}; return self.conv(F.pad(x, (1, 1))) + n", "self.conv = nn.Conv1d(5, 4, 3)")
    offer, path = found(tmp_path, text, "padding-before-convolution")
    assert offer is not None
    assert "differs by" in compared(tmp_path, path, text, offer).why


def test_a_class_that_is_indented_otherwise_gets_a_method_that_is_too(tmp_path: Path) -> None:
    text = source("return self.w2(F.silu(self.w1(x)) * self.w3(x))", GATED)
    text = text.replace("\n        ", "\n      ").replace("\n    def", "\n  def")
    offer, path = found(tmp_path, text, MERGED)
    assert offer is not None
    assert compared(tmp_path, path, text, offer).why == ""


def test_lines_end_as_they_did(tmp_path: Path) -> None:
    text = source("return self.w2(F.silu(self.w1(x)) * self.w3(x))", GATED).replace("\n", "\r\n")
    offer, _ = found(tmp_path, text, MERGED)
    assert offer is not None
    assert "\n" not in applied(text, offer.edit.changes).replace("\r\n", "")


def test_an_activation_becomes_a_layer_which_is_made_once(tmp_path: Path) -> None:
    rule = "activation-by-function"
    text = source("y = F.relu(q); return F.relu(y + k)", "self.last = nn.Linear(8, 8)")
    offer, path = found(tmp_path, text, rule)
    assert offer is not None
    assert "one more layer" in offer.unsafe
    assert not compared(tmp_path, path, text, offer).why
    after = applied(text, offer.edit.changes)
    assert "        self.last = nn.Linear(8, 8)\n        self.relu = nn.ReLU()\n" in after
    assert "y = self.relu(q)" in after
    again, path = found(tmp_path, after, rule)
    assert again is not None
    assert applied(after, again.edit.changes) == after.replace("F.relu(y + k)", "self.relu(y + k)")
    assert not compared(tmp_path, path, after, again).why


def test_a_layer_has_the_settings_that_come_first(tmp_path: Path) -> None:
    text = source("y = F.leaky_relu(q, 0.1); return F.leaky_relu(y + k, 0.3)")
    path, rule = str(tmp_path / "model.py"), "activation-by-function"
    reply = trace(tmp_path, text, CALL)
    shown = Snapshot(path, text, traces=(Trace(Example(path, CALL, "call"), CALL, (), reply),))
    (offer,) = [one for one in offers(shown) if one.rule == rule]
    assert "y = self.leaky_relu(q)" in applied(text, offer.edit.changes)


@pytest.mark.parametrize(
    ("init", "call", "made"),
    [
        ("pass", "F.elu(q, alpha=0.5)", "nn.ELU(alpha=0.5)"),
        ("pass", "F.leaky_relu(q, 0.2, inplace=False)", "nn.LeakyReLU(0.2, inplace=False)"),
        ("self.elu = nn.ELU(0.5)", "F.elu(q, 0.5)", "nn.ELU(0.5)"),
    ],
)
def test_an_activation_with_settings_becomes_a_layer_with_them(tmp_path: Path, init: str, call: str, made: str) -> None:
    text = source(f"return {call}", init)
    offer, path = found(tmp_path, text, "activation-by-function")
    assert offer is not None
    assert applied(text, offer.edit.changes).count(made) == 1
    assert not compared(tmp_path, path, text, offer).why


@pytest.mark.parametrize(
    ("init", "body"),
    [
        ("pass", "return F.leaky_relu(q, q.shape[1] / 10)"),
        ("self.elu = nn.ELU(0.2)", "return F.elu(self.elu(q), 0.5)"),
        ("pass", "slope = 0.2; return F.leaky_relu(q, -slope)"),
        ("pass", "return F.leaky_relu(q,  # small\n                            0.2)"),
        ("pass", "return torch.tanh(q).relu()"),
        ("self.relu = nn.Linear(8, 8)", "return F.relu(self.relu(q))"),
        ("pass\n\n    def relu(self, x):\n        return x", "return F.relu(q)"),
    ],
)
def test_what_is_no_layer_stays_a_function(tmp_path: Path, init: str, body: str) -> None:
    assert found(tmp_path, source(body, init), "activation-by-function")[0] is None


@pytest.mark.parametrize(
    ("body", "written"),
    [
        ("if x.mean() > 0:  # up;; y = self.q(x); else:;; y = self.k(x).relu(); return y",
         "        # up\n        y = torch.cond(x.mean() > 0, lambda x: self.q(x), lambda x: self.k(x).relu(), (x,))\n"),
        ("big = x.mean() > 0; return self.q(v) if not big else v",
         "        return torch.cond(~big, lambda v: self.q(v), lambda v: v.clone(), (v,))\n"),
    ],
)  # fmt: skip
def test_a_branch_with_layers_becomes_one_that_is_compiled(tmp_path: Path, body: str, written: str) -> None:
    text = source(body)
    offer, path = found(tmp_path, text, "data-dependent-layers")
    assert offer is not None
    after = applied(text, offer.edit.changes)
    assert written in after
    assert "gradient of 0" in offer.unsafe
    assert not compared(tmp_path, path, text, offer).why
    assert "gradients" in compared(tmp_path, path, text, replace(offer, zeros=False)).why
    assert trace(tmp_path, after, CALL, engine="real").failure is None


@pytest.mark.parametrize(
    ("init", "rule", "offered"),
    [
        ("self.net = nn.Sequential(nn.Conv1d(5, 5, 3), nn.BatchNorm1d(5))", "bias-before-batch-norm", True),
        (
            "self.net = nn.Sequential(nn.Conv1d(in_channels=5, out_channels=5, kernel_size=3, bias=True), "
            "nn.BatchNorm1d(5))",
            "bias-before-batch-norm",
            True,
        ),
        (
            "self.net = nn.Sequential(nn.Conv1d(5, 5, 3, bias=False), nn.BatchNorm1d(5))",
            "bias-before-batch-norm",
            False,
        ),
        ("self.last = nn.Linear(8, 8)", "layer-unused", True),
        ("row = torch.zeros(8)\n        row[0] = 1\n        self.row = row", "tensor-attribute", True),
        ("row = nn.Parameter(torch.zeros(8))\n        self.row = row", "tensor-attribute", False),
        ("self.row = torch.ones(1).repeat(8)", "repeat-for-broadcast", False),
    ],
)
def test_what_init_makes_is_looked_at_though_nothing_else_runs_there(
    tmp_path: Path, init: str, rule: str, offered: bool
) -> None:
    made = "        self.weight, self.bias = nn.Parameter(torch.randn(4, 8)), nn.Parameter(torch.zeros(4))\n"
    text = source("return self.net(x)" if "net" in init else "return x", init).replace(made, "")
    assert (found(tmp_path, text, rule)[0] is not None) == offered


@pytest.mark.parametrize(
    ("body", "written"),
    [
        ("logger.info('%s', x.shape); return q", "        if not torch.compiler.is_compiling():\n"
         "            logger.info('%s', x.shape)\n        return q\n"),
        ("logger.shape(x); return q", ""),
        ("if not torch.compiler.is_compiling():;; logger.info('x'); return q", ""),
    ],
)  # fmt: skip
def test_what_is_logged_is_not_while_it_is_compiled(tmp_path: Path, body: str, written: str) -> None:
    logger = "import logging\nlogger = logging.getLogger(__name__)\nlogger.shape = print\n"
    text = source(body).replace("import math\n", f"import math\n{logger}")
    offer, path = found(tmp_path, text, "print-in-forward")
    assert (offer is not None) == bool(written)
    if offer is not None:
        assert written in applied(text, offer.edit.changes)
        assert not compared(tmp_path, path, text, offer).why


@pytest.mark.parametrize(
    ("last", "offered"), [("nn.Linear(4, 8)", True), ("nn.Dropout(0.1)", False), ("nn.ReLU(True)", False)]
)
def test_a_copy_of_what_a_sequence_gives(tmp_path: Path, last: str, offered: bool) -> None:
    """Not where its last layer may give what it is given."""
    text = source(
        "y = self.mlp(x).clone(); return y.sum(1)", f"self.mlp = nn.Sequential(nn.Linear(8, 4), nn.ReLU(), {last})"
    )
    offer, path = found(tmp_path, text, "clone-of-result")
    assert (offer is not None) == offered
    if offer is not None:
        assert "y = self.mlp(x)\n" in applied(text, offer.edit.changes)
        assert not compared(tmp_path, path, text, offer).why


def test_a_copy_of_what_a_sequence_gives_that_somebody_takes_apart(tmp_path: Path) -> None:
    made = "self.mlp = nn.Sequential(nn.Linear(8, 8)); del self.mlp[0]"
    assert found(tmp_path, source("return self.mlp(x).clone()", made), "clone-of-result")[0] is None
