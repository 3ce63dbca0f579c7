"""Operations, module uses, variants by module path, and lines never reached."""

from pathlib import Path

from tests.worker.tracing import trace

SOURCE = """
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(3, width)

    def forward(self, x):
        h = self.fc(x)
        if h.dim() > 2:
            h = h[0]
            return h
        return h.relu()

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block(4), Block(5)])
        self.tied = self.blocks[0]

    def forward(self, x):
        parts = [block(x) for block in self.blocks]
        return torch.cat(parts, dim=1).t()
"""


def test_variants_carry_their_module_paths(tmp_path: Path) -> None:
    reply = trace(tmp_path, SOURCE, "Net()(f32[2, 3])")
    h = next(binding for binding in reply.bindings if binding.name == "h")
    assert [(variant.value.shape, variant.modules) for variant in h.variants] == [  # type: ignore[union-attr]
        ((2, 4), ("blocks.0",)),
        ((2, 5), ("blocks.1",)),
    ]


def test_module_uses(tmp_path: Path) -> None:
    reply = trace(tmp_path, SOURCE, "Net()(f32[2, 3])")
    uses = {use.name: (use.parameters, use.calls, use.module, use.output.shape) for use in reply.modules}  # type: ignore[union-attr]
    assert uses == {"Net": (36, 1, "", (9, 2)), "Block": (16, 2, "blocks.0", (2, 4))}


def test_operations(tmp_path: Path) -> None:
    reply = trace(tmp_path, SOURCE, "Net()(f32[2, 3])")
    lines = SOURCE.split("\n")
    found = [
        (op.form, op.target, lines[op.span.line - 1][op.span.column : op.span.end_column]) for op in reply.operations
    ]
    assert found == [
        ("module", "Linear", "self.fc(x)"),
        ("function", "torch.Tensor.relu", "h.relu()"),
        ("module", "Block", "block(x)"),
        ("function", "torch.cat", "torch.cat(parts, dim=1)"),
        ("function", "torch.Tensor.t", "torch.cat(parts, dim=1).t()"),
    ]
    transposed = reply.operations[-1].variants[0]
    assert transposed.output.stride == (1, 9)  # type: ignore[union-attr]
    assert [span.line for span in reply.operations[1].calls] == [24, 24]


def test_lines_never_reached(tmp_path: Path) -> None:
    reply = trace(tmp_path, SOURCE, "Net()(f32[2, 3])")
    (reached,) = reply.reached
    assert reached.unreached == (13, 14)


def test_accelerators_are_reported_as_asked(tmp_path: Path) -> None:
    reply = trace(tmp_path, "import torch\ndef f(x):\n    return x.cuda() + torch.ones(2, device='mps')\n", "f(f32[2])")
    assert reply.devices == ("cuda", "mps")
