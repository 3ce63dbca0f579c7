import torch

from moe_lm.config import SMALL
from moe_lm.model import MoELM


def get_batch(data, block_size, batch_size):
    starts = torch.randint(len(data) - block_size - 1, (batch_size,)).tolist()
    x = torch.stack([data[s : s + block_size] for s in starts])
    y = torch.stack([data[s + 1 : s + 1 + block_size] for s in starts])
    return x, y


def main():
    torch.manual_seed(0)
    data = torch.randint(0, SMALL["vocab_size"], (2000,))
    model = MoELM(SMALL)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(2):
        x, y = get_batch(data, 32, 4)
        _, loss, _ = model(x, targets=y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(model.generate(data[None, :10], 4).shape)


if __name__ == "__main__":
    main()
