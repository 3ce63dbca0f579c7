"""What a spare does while it waits: a run in small, so that the pages that any run writes to are its own by then.

Nothing of it can be seen by the run that comes: it patches nothing, has places and a record of its own, and leaves the
generators of random numbers as they were.
"""

from __future__ import annotations

import random
from contextlib import nullcontext
from typing import Any, Callable, Dict, Iterator

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode

from fx_lsp.worker.capture import probes
from fx_lsp.worker.capture.bindings import Bindings, bindings
from fx_lsp.worker.capture.devices import Devices
from fx_lsp.worker.capture.frames import Frames
from fx_lsp.worker.capture.modules import ModuleStack
from fx_lsp.worker.capture.record import Current
from fx_lsp.worker.capture.recorder import Recorder
from fx_lsp.worker.capture.sites import Sites
from fx_lsp.worker.engines.known import Known

_PATH = "<fx-lsp>"
_SOURCE = """
class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm, self.heads = nn.LayerNorm(width), nn.Linear(width, 3 * width)
        self.feed = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width), nn.Dropout(0.1))

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (part.view(batch, length, 2, width // 2).transpose(1, 2) for part in self.heads(self.norm(x)).chunk(3, -1))
        scores = (q @ k.transpose(-2, -1) / width**0.5).masked_fill(torch.ones(length, length).tril() == 0, -1e9)
        y = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True) + scores.softmax(-1) @ v
        x = x + y.transpose(1, 2).contiguous().view(batch, length, width)
        return x + self.feed(x)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.block, self.out = nn.Embedding(10, 8), Block(8), nn.Linear(8, 4, bias=False)
        self.conv, self.norm, self.pool = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.MaxPool2d(2)

    def forward(self, tokens, image):
        x = self.embed(tokens) + torch.arange(tokens.shape[1]).unsqueeze(-1)
        for _ in range(2):
            x = self.block(x)
        y = self.pool(torch.relu(self.norm(self.conv(image)))).mean((2, 3)).flatten(1)
        return torch.cat([self.out(x).mean(1), self.out(y)], dim=-1)

result = Net().eval()(torch.randint(1, 3, (2, 4)), torch.randn(2, 3, 8, 8))
"""


def touch(asked: Callable[[], bool]) -> None:
    """Stops as soon as a request is there."""
    drawn, drawn_by_torch = random.getstate(), torch.get_rng_state()
    for _ in _steps():
        if asked():
            break
    random.setstate(drawn)
    torch.set_rng_state(drawn_by_torch)


def _steps() -> Iterator[None]:
    current = Current()
    sites = Sites()
    code = probes.instrument(_SOURCE, _PATH, sites)
    yield
    for fake in (True, False):
        devices, stack = Devices(), ModuleStack(lambda path: True, current)
        recorder = Recorder(Frames(sites.sources), stack, devices, current)
        names: Dict[str, Any] = {"__name__": __name__, "torch": torch, "nn": nn}
        names[probes.BIND] = Bindings(stack, current).bind
        names[probes.REACH] = current.record.blocks.add
        if fake:
            recorder.call = Known(recorder.call, recorder.doubt)
        with FakeTensorMode(allow_non_fake_inputs=True) if fake else nullcontext(), recorder:
            exec(code, names)
        yield
    bindings(current.record, sites)
