"""Programs that are one of many processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from fx_lsp.model.example import PROGRAM
from tests.worker.tracing import annotated, trace

LAUNCHED = """
import copy
import os
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
local = int(os.environ["LOCAL_RANK"])
dist.init_process_group(backend="nccl", init_method="env://")
torch.cuda.set_device(local)
model = DDP(nn.Linear(10, 5).cuda(local), device_ids=[local])
data = TensorDataset(torch.randn(64, 10), torch.randn(64, 5))
loader = DataLoader(data, batch_size=32, sampler=DistributedSampler(data))
for x, y in loader:
    out = model(x.cuda(local))
    loss = nn.functional.mse_loss(out, y.cuda(local))
    with model.no_sync():
        loss.backward()
    dist.all_reduce(loss)
everything = [torch.empty(32, 5) for _ in range(dist.get_world_size())]
dist.all_gather(everything, out.detach())
joined = torch.cat(everything)
names = [None]
dist.all_gather_object(names, "one")
dist.broadcast_object_list(names)
assert names == ["one"] and dist.get_rank() == 0
weight = copy.deepcopy(model).module.weight.t()
dist.barrier()
dist.destroy_process_group()
"""
SPAWNED = """
import os
import torch
import torch.distributed as dist
import torch.multiprocessing as mp

def work(rank, size, width):
    os.environ["MASTER_ADDR"] = "localhost"
    dist.init_process_group("gloo", rank=rank, world_size=size)
    x = torch.randn(size, width)
    dist.broadcast(x, src=0)
    y = x * rank
    every = [torch.empty_like(y) for _ in range(dist.get_world_size())]
    dist.all_gather(every, y)
    z = torch.cat(every)

if __name__ == "__main__":
    size = {size}
    mp.spawn(work, args=(size, 7), nprocs=size, join=False).join()
"""


def test_who_was_launched_by_torchrun(tmp_path: Path) -> None:
    reply = trace(tmp_path, LAUNCHED, PROGRAM)
    assert reply.failure is None, reply.failure.detail
    shown = annotated(reply, tmp_path / "model.py")
    assert "out⟦f32[32, 5]⟧ = " in shown
    assert "joined⟦f32[32, 5]⟧ = " in shown
    assert "weight⟦f32[10, 5]⟧ = " in shown


@pytest.mark.parametrize(("size", "y", "z"), [("4", "4, 7", "16, 7"), ("torch.cuda.device_count()", "1, 7", "1, 7")])
def test_who_starts_them_itself(tmp_path: Path, size: str, y: str, z: str) -> None:
    reply = trace(tmp_path, SPAWNED.replace("{size}", size), PROGRAM)
    assert reply.failure is None, reply.failure.detail
    shown = annotated(reply, tmp_path / "model.py")
    assert f"y⟦f32[{y}]⟧ = " in shown
    assert f"z⟦f32[{z}]⟧ = " in shown


@pytest.mark.parametrize(
    "asked",
    [
        'assert os.environ.get("RANK") is None and "RANK" not in os.environ and os.getenv("WORLD_SIZE") is None',
        "import torch.distributed as dist; assert not dist.is_initialized()",
        """
size = 0
try:
    if size == 0:
        size = int(os.environ["WORLD_SIZE"])
except KeyError:
    size = 4
assert size == 4
""",
        """
try:
    os.environ["NO_SUCH_VARIABLE"]
    raise AssertionError
except KeyError:
    pass
""",
    ],
)
def test_who_was_not_launched_is_not_told_so(tmp_path: Path, asked: str) -> None:
    reply = trace(tmp_path, f"import os\nimport torch\n{asked}\nx = torch.zeros(2)\n", PROGRAM)
    assert reply.failure is None, reply.failure.detail
