"""Sequences of tokens and numbers, one step of training."""

import torch
from x_transformers import Decoder

from xval_net import XValAutoregressiveWrapper, XValTransformerWrapper

NUMBER = 3

if __name__ == "__main__":
    model = XValTransformerWrapper(
        num_tokens=20,
        numerical_token_id=NUMBER,
        max_seq_len=64,
        attn_layers=Decoder(dim=96, depth=2, heads=4),
    )
    wrapper = XValAutoregressiveWrapper(model)
    ids = torch.randint(0, 20, (2, 33))
    numbers = torch.randn(2, 33)
    mask = torch.ones(2, 33, dtype=torch.bool)
    loss = wrapper(ids, numbers, mask=mask)
    loss.backward()
    print(loss.item())
