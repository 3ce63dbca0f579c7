"""Train a little, then write on."""

import torch
import torch.nn.functional as F
from llama.config import LlamaConfig
from llama.model import Llama


@torch.no_grad()
def generate(model, prompt, steps=8, top_k=20):
    logits, caches = model(prompt)
    out = prompt
    for _ in range(steps):
        last = logits[:, -1]
        values, _ = last.topk(top_k, dim=-1)
        last = last.masked_fill(last < values[:, -1:], float("-inf"))
        token = torch.multinomial(last.softmax(dim=-1), 1)
        out = torch.cat([out, token], dim=1)
        logits, caches = model(token, caches)
    return out


def train(model, steps=2):
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    for _ in range(steps):
        batch = torch.randint(0, model.cfg.vocab_size, (4, 33))
        inputs, targets = batch[:, :-1], batch[:, 1:]
        logits, _ = model(inputs)
        loss = F.cross_entropy(logits.reshape(-1, logits.size(-1)), targets.reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    config = LlamaConfig(dim=96, n_heads=6, n_kv_heads=2)
    llama = Llama(config)
    train(llama)
    print(generate(llama.eval(), torch.randint(0, config.vocab_size, (1, 5))).tolist())
