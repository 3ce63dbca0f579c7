"""Floats where Python counts and cuts, lists that a tensor repeats, results of own functions, targets and places of
another type: named, and mended where they come from."""

from __future__ import annotations

from pathlib import Path

import pytest

from fx_lsp.analysis.causes import explained
from tests.worker.proposed import proposed
from tests.worker.tracing import trace

MODEL = """
import torch
import torch.nn.functional as F
from torch import nn

class Net(nn.Module):
    def encode(self, x):
        mask = x > 0
        return x

    def whole(self, x):
        return x, x, x

    def forward(self, x):
        n = x.shape[1] / 2
        kept = x.shape[1] * 0.5
        many = [x, x]
        weights = [0.1, 0.2]
        named = weights
        {body}
"""


@pytest.mark.parametrize("engine", ["fake", "real"])
@pytest.mark.parametrize(
    ("body", "code", "message", "mended"),
    [("return x[:, :n]", "size-not-whole", "a place is a whole number, and `(:, :n)` has 4.0: `//` divides to one",
      "n = x.shape[1] // 2"),
     ("return x[:, :kept]", "size-not-whole",
      "a place is a whole number, and `(:, :kept)` has 4.0: `//` divides to one", "kept = int(x.shape[1] * 0.5)"),
     ("return x[n:]", "size-not-whole", "a place is a whole number, and `n:` has 4.0: `//` divides to one",
      "n = x.shape[1] // 2"),
     ("x[:, n:] = 0\n        return x", "size-not-whole",
      "a place is a whole number, and `(:, n:)` has 4.0: `//` divides to one", "n = x.shape[1] // 2"),
     ("return many[n]", "size-not-whole", "a size is a whole number, and `n` is a float: `//` divides to one",
      "n = x.shape[1] // 2"),
     ("return many[:n]", "size-not-whole", "a size is a whole number, and `:n` is a float: `//` divides to one",
      "n = x.shape[1] // 2"),
     ("for _ in range(1, n):\n            x = x + 1", "size-not-whole",
      "a size is a whole number, and `n` is 4.0: `//` divides to one", "n = x.shape[1] // 2"),
     ("return [x] * (x.shape[1] / 4)", "size-not-whole",
      "a size is a whole number, and `x.shape[1] / 4` is a float: `//` divides to one", "[x] * (x.shape[1] // 4)"),
     ("return named * x[:, 0]", "tensor-expected", "`*` takes a tensor, and `named` is a list",
      "named = torch.as_tensor(weights)"),
     ("return x[:, 0] * [0.1, 0.2]", "tensor-expected", "`*` takes a tensor, and `[0.1, 0.2]` is a list",
      "x[:, 0] * torch.as_tensor([0.1, 0.2])"),
     ("h, mask = self.encode(x)\n        return h", "unpack-dims",
      "`self.encode(x)` gives another number of results, and `h, mask` takes 2", "return x, mask"),
     ("h, mask = self.whole(x)\n        return h", "unpack-dims",
      "`self.whole(x)` gives another number of results, and `h, mask` takes 2", None),
     ("return F.binary_cross_entropy(x.sigmoid(), (x > 0).double())", "loss-dtypes",
      "`F.binary_cross_entropy` takes a target of f32, and `(x > 0).double()` (f64[4, 8]) holds f64",
      "(x > 0).double().float()"),
     ("count = torch.zeros(9)\n        return count.index_put((x.max(dim=1)[0],), torch.ones(4))", "index-dtype",
      "an index takes whole numbers or bools, and number 0 of the index (f32[4]) holds f32", "x.max(dim=1)[1]")],
    ids=lambda one: str(one).replace("\n", " ")[:40])  # fmt: skip
def test_it_is_named_and_mended(
    tmp_path: Path, body: str, code: str, message: str, mended: str | None, engine: str
) -> None:
    source = MODEL.format(body=body)
    reply = trace(tmp_path, source, "Net()(f32[4, 8])", engine=engine)
    if code == "loss-dtypes" and engine == "fake":
        assert "Found dtype Double but expected Float" in reply.fallback  # it runs on real tensors then
        return
    assert reply.failure is not None
    found = explained(reply.failure)
    assert found is not None
    assert (found.code, found.message) == (code, message)
    texts = proposed(tmp_path, source, reply.failure)
    assert mended is None or any(mended in text for text in texts)


@pytest.mark.parametrize(
    "body",
    [
        "a, b = 'x y z'.split()\n        return x",
        "return 'ab' * n",
        "return {1: 2}[n]",
        "return x * {'a': 1}",
        "return weights * 0.5",
        "scale = 0.5\n        return weights * scale",
        "return many['a':]",
        "return [0] * '3'",
        "return weights * None",
        "(a, b), c = self.whole(x)\n        return a",
        "a, b = sum(p + q for p, q in [self.whole(x)])\n        return a",
        "return F.binary_cross_entropy_with_logits(x, x.double(), reduction='avg')",
    ],
)
def test_what_is_no_mistake_about_tensors_has_no_cause(tmp_path: Path, body: str) -> None:
    reply = trace(tmp_path, MODEL.format(body=body), "Net()(f32[4, 8])")
    assert reply.failure is not None
    assert explained(reply.failure) is None
