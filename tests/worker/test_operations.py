"""Operations, module uses, variants by module path, and lines never reached."""

from pathlib import Path

import pytest

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
    assert {span.line for span in reply.operations[1].calls} == {24}  # twice where a comprehension has a frame


def test_lines_never_reached(tmp_path: Path) -> None:
    reply = trace(tmp_path, SOURCE, "Net()(f32[2, 3])")
    (reached,) = reply.reached
    assert reached.unreached == (13, 14)


def test_accelerators_are_reported_as_asked(tmp_path: Path) -> None:
    reply = trace(tmp_path, "import torch\ndef f(x):\n    return x.cuda() + torch.ones(2, device='mps')\n", "f(f32[2])")
    assert reply.devices == ("cuda", "mps")


MEMORY = """
import torch
import torch.nn.functional as F

def f(x, w):
    a = x.transpose(1, 2)  # 0 +
    b = a.reshape(-1)  # -1
    c = x.reshape(-1)  # 0
    d = a.contiguous()  # -1
    e = x.contiguous()  # 0
    g = x[:, 0]  # 0 +
    h = x[[0]]  # -1
    i = F.linear(x, w)  # -1
    j = x.chunk(2)  # 0
    k = torch.cat([x, x])  # -1
    l = a.relu()  # -1
    m = torch.add(x, 1, out=i)  # 1
    n = F.dropout(x, 0.1, False)  # 0
    o = torch.stack([x, a.mT]).unbind()  # 0
    i += 1  # 0
    p = torch.broadcast_tensors(x, w)  # None
    q = x.to_sparse()  # None
    return torch.mul(w, w.t())  # -1
"""


@pytest.mark.parametrize("engine", ["fake", "real"])
def test_views_copies_and_what_makes_a_tensor_not_contiguous(tmp_path: Path, engine: str) -> None:
    reply = trace(tmp_path, MEMORY, "f(f32[2, 8, 8], f32[8, 8])", engine=engine)
    assert reply.failure is None
    lines = MEMORY.split("\n")
    assert {op.span.line for op in reply.operations} >= {n for n, line in enumerate(lines, 1) if "# " in line}
    for operation in reply.operations:
        wanted = lines[operation.span.line - 1].partition("# ")[2]
        (variant,) = operation.variants
        inner = operation.target.rpartition(".")[2] in ("stack", "t", "tensor", "mT")
        said = f"{variant.view}{' +' if variant.scattered else ''}"
        assert inner or said == wanted, f"{operation.target} on line {operation.span.line}"


OWN_CALLS = """
class Base(nn.Module):
    def forward(self, x):
        return self.layer(x)

    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)


class Part(Base):
    def __init__(self, width=4):
        super().__init__()
        self.layer = nn.Linear(width, width)


class Checked(Part):
    def __call__(self, x):
        return super().__call__(x)


class Alone(nn.Module):
    def __call__(self, x):
        return x.sum(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList([Part(), Checked()])
        self.alone = Alone()

    def forward(self, x):
        for part in self.parts:
            x = part(x)
        return self.alone(x)
"""


def test_calls_that_a_class_has_in_place_of_those_of_torch(tmp_path: Path) -> None:
    """One that goes on to another is one call, and so is one without `forward`."""
    reply = trace(tmp_path, "import torch\nfrom torch import nn\n" + OWN_CALLS, "Net()(f32[2, 4])")
    uses = {use.name: (use.calls, use.module, use.output.shape) for use in reply.modules}  # type: ignore[union-attr]
    assert uses == {
        "Net": (1, "", (4,)), "Part": (1, "parts.0", (2, 4)), "Checked": (1, "parts.1", (2, 4)),
        "Alone": (1, "alone", (4,)),
    }  # fmt: skip
