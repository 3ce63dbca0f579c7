import torch
import torch.nn.functional as F

from model import Config, KVCache, Transformer


def batches(vocab, n, bsz=2, seq=16):
    g = torch.Generator().manual_seed(0)
    for _ in range(n):
        yield torch.randint(0, vocab, (bsz, seq + 1), generator=g)


def train(model, cfg, steps=2):
    opt = torch.optim.AdamW(model.parameters(), lr=3e-4, betas=(0.9, 0.95))
    for ids in batches(cfg.vocab, steps):
        logits, aux = model(ids[:, :-1])
        nll = F.cross_entropy(logits.reshape(-1, cfg.vocab), ids[:, 1:].reshape(-1))
        loss = nll + 0.01 * aux
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()


def top_p_filter(logits, p):
    ordered, order = logits.sort(dim=-1, descending=True)
    cumulative = ordered.softmax(-1).cumsum(-1)
    drop = cumulative - ordered.softmax(-1) > p
    ordered = ordered.masked_fill(drop, float("-inf"))
    return torch.full_like(logits, float("-inf")).scatter(-1, order, ordered)


@torch.no_grad()
def generate(model, cfg, prompt, new_tokens=6, temperature=0.8, p=0.9):
    model.eval()
    caches = [KVCache(cfg, prompt.size(0)) for _ in range(cfg.depth)]
    ids, step = prompt, prompt
    for _ in range(new_tokens):
        logits, _ = model(step, caches)
        logits = top_p_filter(logits[:, -1] / temperature, p)
        step = torch.multinomial(logits.softmax(-1), 1)
        ids = torch.cat([ids, step], dim=1)
    return ids


if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.manual_seed(0)
    cfg = Config()
    model = Transformer(cfg)
    train(model, cfg)
    prompt = torch.randint(0, cfg.vocab, (3, 10))
    print(generate(model, cfg, prompt).tolist())
