"""None, a list or an array where a tensor is taken: named, and mended where it comes from."""

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
import numpy as np

class Part(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 8)

    def forward(self, x):
        x = self.fc(x)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Part()
        self.fc = nn.Linear(8, 4)
        self.attend = nn.MultiheadAttention(8, 2)
        self.conv = nn.Conv1d(8, 8, 1)

    def helper(self, x):
        if x.dim() > 1:
            y = self.fc(x)

    def shown(self, x):
        self.fc(x)

    def both(self, x):
        a, b = x, self.fc(x)

    def forward(self, x):
        counts = [3 for one in range(4)]
        many = [x, x]
        array = np.zeros(8, dtype="float32")
        {body}
"""


@pytest.mark.parametrize("engine", ["fake", "real"])
@pytest.mark.parametrize(
    ("body", "code", "message", "mended"),
    [("return self.fc(self.part(x))", "none-given", "`self.fc` takes a tensor, and `self.part(x)` is None",
      "x = self.fc(x)\n        return x"),
     ("h = self.part(x)\n        return h + x", "none-given", "`+` takes a tensor, and `h` is None",
      "x = self.fc(x)\n        return x"),
     ("return x * self.part(x)", "none-given", "`*` takes a tensor, and `self.part(x)` is None",
      "x = self.fc(x)\n        return x"),
     ("h = self.part(x)\n        return F.relu(h)", "none-given", "`F.relu` takes a tensor, and `h` is None",
      "x = self.fc(x)\n        return x"),
     ("return self.conv(self.part(x).t())", "none-given", "`self.part(x)` is None, and has no `t`",
      "x = self.fc(x)\n        return x"),
     ("return torch.matmul(x, self.part(x).t())", "none-given", "`self.part(x)` is None, and has no `t`",
      "x = self.fc(x)\n        return x"),
     ("h = self.helper(x)\n        return h.mean()", "none-given", "`h` is None, and has no `mean`",
      "y = self.fc(x)\n        return y"),
     ("return self.shown(x)[0]", "none-given", "`self.shown(x)` is None, and has no entries", "return self.fc(x)\n"),
     ("a, b = self.both(x)\n        return a", "none-given", "`self.both(x)` is None, and cannot be unpacked",
      "return a, b"),
     ("y, w = self.attend(x, x, x, need_weights=False)\n        return w.sum()", "none-given",
      "`w` is None, and has no `sum`", "need_weights=True"),
     ("return x.sum(1) + counts.unsqueeze(0)", "tensor-expected", "`counts` is a list, and has no `unsqueeze`",
      "counts = torch.as_tensor([3 for one in range(4)])"),
     ("return x + array.unsqueeze(0)", "tensor-expected", "`array` is an array of NumPy, and has no `unsqueeze`",
      "torch.as_tensor(array).unsqueeze(0)"),
     ("return x @ self.fc.t()", "tensor-expected", "`self.fc` is a module, and has no `t`", "x @ self.fc.weight.t()"),
     ("return F.linear(x, self.fc)", "tensor-expected", "`F.linear` takes a tensor, and `self.fc` is a module",
      "F.linear(x, self.fc.weight)"),
     ("layer = self.fc\n        return x + layer", "tensor-expected", "`+` takes a tensor, and `layer` is a module",
      "x + layer.weight"),
     ("return F.softmax(many, dim=-1)", "tensor-expected",
      "`F.softmax` takes a tensor, and `many` is a list of 2: [f32[4, 8], f32[4, 8]]", "torch.stack(many)")],
)  # fmt: skip
def test_it_is_named_and_mended(tmp_path: Path, body: str, code: str, message: str, mended: str, engine: str) -> None:
    source = MODEL.format(body=body)
    failure = trace(tmp_path, source, "Net()(f32[4, 8])", engine=engine).failure
    assert failure is not None
    found = explained(failure)
    assert found is not None, failure
    assert (found.code, found.message) == (code, message)
    texts = proposed(tmp_path, source, failure)
    wanted = [text for text in texts if mended in text]
    assert wanted, texts
    after = trace(tmp_path, wanted[0], "Net()(f32[4, 8])", engine=engine).failure
    assert after is None or after.span != failure.span


@pytest.mark.parametrize(
    "body",
    ["return self.flag(self.fc(x))", "return self.fc(x.relu(), **self.flag)", "return x + ','.join(['a', self.flag])",
     "return x + int(self.flag)", "return x + len(self.flag)", "return torch.transpose(x, 0, self.flag)",
     "return torch.clamp(x.relu(), min='a', max=None)", "return torch.roll(x, None)", "return torch.arange(self.flag)",
     "a, b = [p + q for p, q in [self.flag]]\n        return x", "(a, b), c = self.part(x), x\n        return x",
     "a, b = dict([self.flag])\n        return x"],
)  # fmt: skip
def test_of_none_where_no_tensor_is_taken_nothing_is_made_up(tmp_path: Path, body: str) -> None:
    source = MODEL.format(body=body).replace("self.part = Part()", "self.part = Part()\n        self.flag = None")
    failure = trace(tmp_path, source, "Net()(f32[4, 8])").failure
    assert failure is not None
    assert explained(failure) is None, explained(failure)


LAST = """
import torch
from torch import nn

class Part(nn.Module):
    def forward(self, x):
{last}

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Part()

    def forward(self, x):
        return self.part(x).relu()
"""


@pytest.mark.parametrize(
    ("last", "mended"),
    [("        y = x * 2\n        return", "        y = x * 2\n        return y"),
     ("        y = x * 2  # twice", "        y = x * 2  # twice\n        return y"),
     ("        with torch.no_grad():\n            y = x * 2", "            y = x * 2\n        return y"),
     ("        x *= 2\n\n    def other(self):\n        pass", "        x *= 2\n        return x"),
     ("        y, z = x * 2, x", "        return y, z"), ("        x * 2", "        return x * 2"),
     ("        y, self.z = x * 2, x", None), ("        pass", None), ('        """Nothing."""', None)],
)  # fmt: skip
def test_what_is_given_back(tmp_path: Path, last: str, mended: str | None) -> None:
    source = LAST.format(last=last)
    failure = trace(tmp_path, source, "Net()(f32[4, 8])").failure
    assert failure is not None
    texts = proposed(tmp_path, source, failure)
    assert any(mended in text for text in texts) if mended is not None else not texts


def test_one_line_has_no_place_for_a_statement(tmp_path: Path) -> None:
    source = LAST.replace("def forward(self, x):\n{last}", "def forward(self, x): y = x * 2", 1)
    failure = trace(tmp_path, source, "Net()(f32[4, 8])").failure
    assert failure is not None
    assert not proposed(tmp_path, source, failure)
