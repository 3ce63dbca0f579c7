"""One batch of events, each with the events that came before it."""

import torch
import torch.nn.functional as F
from torch_geometric.data import Data

from re_net import RENet

NUM_NODES, NUM_RELS, SEQ_LEN = 50, 6, 5


def make_batch(size=8, events=3):
    count = size * events
    owner = torch.arange(size).repeat_interleave(events)
    return Data(
        sub=torch.randint(NUM_NODES, (size,)),
        rel=torch.randint(NUM_RELS, (size,)),
        obj=torch.randint(NUM_NODES, (size,)),
        h_sub=torch.randint(NUM_NODES, (count,)),
        h_sub_t=torch.randint(SEQ_LEN, (count,)),
        h_sub_batch=owner,
        h_obj=torch.randint(NUM_NODES, (count,)),
        h_obj_t=torch.randint(SEQ_LEN, (count,)),
        h_obj_batch=owner,
    )


if __name__ == "__main__":
    model = RENet(NUM_NODES, NUM_RELS, hidden_channels=32, seq_len=SEQ_LEN)
    data = make_batch()
    log_prob_obj, log_prob_sub = model(data)
    loss = F.nll_loss(log_prob_obj, data.obj) + F.nll_loss(log_prob_sub, data.sub)
    print(loss.item(), model.test(log_prob_obj, data.obj))
