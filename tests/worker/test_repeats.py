"""Modules that are left out since an equal one ran: what is shown is what is shown where all of them run.

The first of a row takes what needs no gradient, so the second runs as well.
"""

from __future__ import annotations

import pytest

from tests.worker.leaving import Leaving, assert_true

MLP = """\
class Block(nn.Module):
    def __init__(self, width=8, inner=16):
        super().__init__()
        self.width, self.number = width, NUMBERS.pop()
        self.norm = nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, inner), nn.Linear(inner, width)

    def forward(self, x):
        h = F.gelu(self.up(self.norm(x)))
        y = self.down(h)
        return x + y

class Net(nn.Module):
    def __init__(self, depth=4):
        super().__init__()
        self.blocks = nn.ModuleList([Block() for _ in range(depth)])

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x
"""


def test_equal_blocks(left_out: Leaving) -> None:
    paths = assert_true(left_out, MLP, "Net()(f32[2, 8])")
    assert paths == ["blocks.2", "blocks.3"]


def test_other_inputs_are_others(left_out: Leaving) -> None:
    source = MLP.replace("x = block(x)", "x = torch.cat([block(x), x])")
    assert assert_true(left_out, source, "Net()(f32[2, 8])") == []


def test_other_sizes_are_others(left_out: Leaving) -> None:
    source = MLP.replace("Block() for _ in range(depth)", "Block(inner=16 + i % 2) for i in range(depth)")
    assert assert_true(left_out, source, "Net()(f32[2, 8])") == ["blocks.3"]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    {
        "a number that is not read": (
            "self.width, self.number = width, NUMBERS.pop()",
            "self.other, self.width = id(self), width",
            2,
        ),
        "a setting that every block has": ("x + y", "x[:, : self.width] + y", 2),
        "several results": ("return x + y", "return [x + y, (h, 3, None)][0]", 2),
        "a comprehension": ("return x + y", "return sum([y * k for k in range(self.width)], x)", 2),
        "a helper of the workspace": ("return x + y", "return added(x, y)", 2),
    }.values(),
)
def test_what_can_be_proven(left_out: Leaving, old: str, new: str, expected: int) -> None:
    helper = "\ndef added(a, b):\n    total = a + b\n    return total\n"
    assert len(assert_true(left_out, MLP.replace(old, new) + helper, "Net()(f32[2, 8])")) == expected


WATCHED = {
    "a global that grows": (
        "return x + y",
        "SEEN.append(1)\n        return (x + y) if len(SEEN) < 3 else torch.cat([x, y])[:2]",
    ),
    "a global number": ("return x + y", "global N\n        N += 1\n        return (x + y).view(2, 8, *[1] * 0) * N"),
    "a list of its own that grows": (
        "return x + y",
        "self.seen = getattr(self, 'seen', []) + [1]\n        return x + y",
    ),
    "a number of its own that is read": ("return x + y", "return x + y * torch.ones(self.number, 1).sum()"),
    "an attribute of the class": ("return x + y", "Block.calls = getattr(Block, 'calls', 0) + 1\n        return x + y"),
    "an attribute by a name that is made": (
        "return x + y",
        "return x + y + torch.zeros(getattr(self, 'wid' + 'th'))",
    ),
    "chance": ("return x + y", "import random\n        return x + y if random.random() < 2 else x"),
    "its argument changes": ("return x + y", "x += y\n        return x"),
    "it gives its argument back": ("return x + y", "return x"),
    "it gives a view": ("return x + y", "return x.view(2, 8)"),
    "an iterator": ("return x + y", "return x + y * next(COUNT)"),
}


@pytest.mark.parametrize("name", WATCHED)
def test_what_cannot_be_proven_runs(name: str, left_out: Leaving) -> None:
    old, new = WATCHED[name]
    paths = assert_true(left_out, MLP.replace(old, new), "Net()(f32[2, 8])")
    assert not paths


PARENTS = {
    "an object that they share": (
        "class Settings:\n    size = 2\nSETTINGS = Settings()\n",
        "y = self.down(h)",
        "y = self.down(h).repeat(SETTINGS.size, 1)[:2].view(2, -1)\n        k = torch.zeros(SETTINGS.size)",
        "SETTINGS.size += 1\n            x = block(x)",
    ),
    "a global": (
        "SIZE = 2\n",
        "y = self.down(h)",
        "y = self.down(h)\n        k = torch.zeros(SIZE)",
        "globals()['SIZE'] += 1\n            x = block(x)",
    ),
    "a list in a global": (
        "SIZES = []\n",
        "y = self.down(h)",
        "y = self.down(h)\n        k = torch.zeros(len(SIZES))",
        "SIZES.append(1)\n            x = block(x)",
    ),
    "a setting of torch": (
        "",
        "y = self.down(h)",
        "y = self.down(h)\n        k = torch.zeros(2)",
        "torch.set_default_dtype(torch.float64 if x.sum().shape == () and block is self.blocks[2] else torch.float32)\n"
        "            x = block(x)",
    ),
    "another method": (
        "def other(self, x):\n    return torch.cat([x, x])[:2] * 2\n",
        "y = self.down(h)",
        "y = self.down(h)",
        "if block is self.blocks[2]:\n                block.forward = other.__get__(block)\n            x = block(x)",
    ),
    "a hook": (
        "def hook(module, args, output):\n    return output.double().float()\n",
        "y = self.down(h)",
        "y = self.down(h)",
        "if block is self.blocks[2]:\n                block.register_forward_hook(hook)\n            x = block(x)",
    ),
    "a class that is given another method": (
        "def other(self, x):\n    return torch.cat([x, x])[:2] * 2\n",
        "y = self.down(h)",
        "y = self.down(h)",
        "if block is self.blocks[3]:\n                Block.forward = other\n            x = block(x)",
    ),
    "a hook of all modules": (
        "def hook(module, args, output):\n    SEEN.append(output)\n",
        "y = self.down(h)",
        "y = self.down(h)",
        "if block is self.blocks[3]:\n                nn.modules.module.register_module_forward_hook(hook)\n"
        "            x = block(x)\n            k = torch.zeros(len(SEEN))",
    ),
    "a part that is replaced": (
        "",
        "y = self.down(h)",
        "y = self.down(h)",
        "if block is self.blocks[2]:\n                block.norm = nn.Identity()\n            x = block(x)",
    ),
}


@pytest.mark.parametrize("name", PARENTS)
def test_what_happens_in_between_counts(name: str, left_out: Leaving) -> None:
    before, old, new, call = PARENTS[name]
    source = before + MLP.replace(old, new).replace("x = block(x)", call)
    assert_true(left_out, source, "Net()(f32[2, 8])")


def test_shared_blocks_have_their_own_paths(left_out: Leaving) -> None:
    source = MLP.replace(
        "nn.ModuleList([Block() for _ in range(depth)])", "nn.ModuleList([Block(), Block()] * 2)"
    ).replace("self.norm = nn.LayerNorm(width)", "self.norm = NORM")
    assert_true(left_out, "NORM = nn.LayerNorm(8)\n" + source, "Net()(f32[2, 8])")


def test_gradients_reach_every_parameter(left_out: Leaving) -> None:
    train = """
def step():
    net = Net()
    net(torch.randn(2, 8)).sum().backward()
    grads = [p.grad for p in net.parameters()]
    return grads
"""
    assert assert_true(left_out, MLP + train, "step()") == []
    hidden = train.replace(".sum().backward()", ".sum().__getattribute__('back' + 'ward')()")
    assert assert_true(left_out, MLP + hidden, "step()") == ["blocks.2", "blocks.3"]


def test_blocks_inside_blocks(left_out: Leaving) -> None:
    source = (
        MLP
        + """
class Tower(nn.Module):
    def __init__(self):
        super().__init__()
        self.nets = nn.ModuleList([Net(2), Net(2), Net(3)])

    def forward(self, x, scale: float = 1.0):
        outs = []
        for net in self.nets:
            outs.append(net(x) * scale)
        return torch.stack(outs)
"""
    )
    paths = assert_true(left_out, source, "Tower()(f32[2, 8], scale=2.0)")
    assert paths[:2] == ["nets.1", "nets.2.blocks.0"]
