import os
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset, DistributedSampler

local_rank = int(os.environ["LOCAL_RANK"])
dist.init_process_group(backend="nccl")
torch.cuda.set_device(local_rank)
model = nn.Linear(10, 5).cuda(local_rank)
model = DDP(model, device_ids=[local_rank])
data = TensorDataset(torch.randn(512, 10), torch.randn(512, 5))
loader = DataLoader(data, batch_size=32, sampler=DistributedSampler(data))
for x, y in loader:
    out = model(x.cuda(local_rank))
    loss = nn.functional.mse_loss(out, y.cuda(local_rank))
    loss.backward()
