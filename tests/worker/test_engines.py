"""Where fake tensors cannot go on, real ones do, and sizes that depend on data say so."""

from pathlib import Path

import pytest

from tests.worker.tracing import annotated, shown, trace

HEAD = "import torch\nfrom torch import nn\n"

PACKING = """
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(3, 4, batch_first=True)
    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)
        out, (h, c) = self.rnn(packed)
        padded, n = pad_packed_sequence(out, batch_first=True, total_length=x.size(1))
        return padded
"""

LIMITED = {
    "packing": (PACKING, "Net()(f32[2, 5, 3], i64[2])"),
    "item": ("def f(x):\n    n = int(x.abs().sum().item())\n    return x * n\n", "f(f32[2])"),
    "numpy": ("def f(x):\n    return torch.from_numpy(x.numpy() * 2)\n", "f(f32[2])"),
    "branch": ("def f(x):\n    if x.sum() > 0:\n        return x\n    return -x\n", "f(f32[2])"),
    "nonzero": ("def f(x):\n    return x[x > 0]\n", "f(f32[20])"),
    "linspace": ("def f(x):\n    return [p.item() * x for p in torch.linspace(0, 1, 3)]\n", "f(f32[2])"),
}


@pytest.mark.parametrize("name", LIMITED)
def test_a_limit_of_fake_tensors_proves_nothing(name: str, tmp_path: Path) -> None:
    source, call = LIMITED[name]
    reply = trace(tmp_path, HEAD + source, call)
    assert reply.failure is not None
    assert not reply.failure.proven
    assert reply.fallback
    assert trace(tmp_path, HEAD + source, call, engine="real").failure is None


def test_a_limit_that_the_code_catches_is_not_forgotten(tmp_path: Path) -> None:
    source = "def f(x):\n    try:\n        return x * x.sum().item()\n    except Exception:\n        return x[0]\n"
    reply = trace(tmp_path, HEAD + source, "f(f32[2])")
    assert reply.failure is None
    assert reply.fallback.startswith("DataDependentOutputException")


def test_an_address_is_a_limit_too(tmp_path: Path) -> None:
    source = "def f(x):\n    return x if x.data_ptr() else x[0]\n"
    assert trace(tmp_path, HEAD + source, "f(f32[2])").fallback == "the address of a tensor is asked for"
    assert trace(tmp_path, HEAD + source, "f(f32[2])", engine="real").failure is None


def test_sizes_that_depend_on_data(tmp_path: Path) -> None:
    source = """
def f(x, ids):
    chosen = x[x[:, 0] > 0]
    twice = torch.cat([chosen, chosen])
    where, = torch.where(x[:, 1] > 0)
    kept = x[where]
    for row in chosen:
        last = row
    return chosen, x
"""
    text = shown(tmp_path, HEAD + source, "f(f32[50, 3], i64[4])", engine="real")
    assert "chosen⟦f32[u0, 3]⟧ = x" in text
    assert "twice⟦f32[u1, 3]⟧" in text
    assert "where⟦i64[u2]⟧, =" in text
    assert "kept⟦f32[u2, 3]⟧" in text
    assert "for row⟦f32[3]⟧" in text
    assert "return⟦(f32[u0, 3], f32[50, 3])⟧" in text


def test_concrete_sizes_are_those_of_the_first_run(tmp_path: Path) -> None:
    source = HEAD + "def f(x):\n    y = x[x > 0]\n    return y\n"
    reply = trace(tmp_path, source, "f(f32[50])", engine="real")
    value = next(binding for binding in reply.bindings if binding.name == "y").variants[0].value
    assert value.shape[0] not in (0, 50)  # type: ignore[union-attr]
    assert value.names == ("u0",)  # type: ignore[union-attr]


def test_labels_of_two_classes(tmp_path: Path) -> None:
    source = "def f(logits, y):\n    loss = nn.functional.cross_entropy(logits, y)\n    return loss\n"
    assert "loss⟦f32[]⟧" in shown(tmp_path, HEAD + source, "f(f32[4, 2], i64[4])", engine="real")


def test_example_runs_in_eval_unless_it_says_train(tmp_path: Path) -> None:
    source = """
class Net(nn.Module):
    def forward(self, x):
        return x[:1] if self.training else x
"""
    assert "return⟦f32[2]⟧" in shown(tmp_path, HEAD + source, "Net()(f32[2])")
    assert "return⟦f32[1]⟧" in shown(tmp_path, HEAD + source, "Net().train()(f32[2])")
    assert "return⟦f32[2]⟧" in shown(tmp_path, HEAD + source, "net.forward(f32[2])", setup="net = Net()")


def test_imports_inside_a_forward_are_real(tmp_path: Path) -> None:
    reply = trace(
        tmp_path,
        HEAD + "def f(x):\n    import table\n    return x + table.OFFSET\n",
        "f(f32[2])",
        files={"table.py": "import torch\nOFFSET = float(torch.linspace(0, 1, 3)[1])\n"},
    )
    assert reply.failure is None
    assert reply.fallback == ""


def test_module_level_tensors_are_shown(tmp_path: Path) -> None:
    source = HEAD + "MEAN = torch.tensor([0.5, 0.5])\ndef f(x):\n    return x - MEAN\n"
    reply = trace(tmp_path, source, "f(f32[4, 2])")
    assert "MEAN⟦f32[2]⟧ = " in annotated(reply, tmp_path / "model.py")
