import torch
import torch.nn.functional as F

from nmt.model import Config, Transformer


def batches(cfg, count=3, batch=4, length=9):
    g = torch.Generator().manual_seed(0)
    for _ in range(count):
        src = torch.randint(2, cfg.src_vocab, (batch, length), generator=g)
        tgt = torch.randint(2, cfg.tgt_vocab, (batch, length + 2), generator=g)
        src[:, -2:] = cfg.pad
        tgt[:, -1] = cfg.pad
        yield src, tgt


def label_smoothed(logits, target, pad, eps=0.1):
    logp = F.log_softmax(logits, dim=-1)
    nll = -logp.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    smooth = -logp.mean(dim=-1)
    keep = target != pad
    return ((1 - eps) * nll + eps * smooth)[keep].mean()


def main():
    cfg = Config()
    model = Transformer(cfg)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, betas=(0.9, 0.98))
    for src, tgt in batches(cfg):
        logits = model(src, tgt[:, :-1])
        loss = label_smoothed(logits, tgt[:, 1:], cfg.pad)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        print(loss.item())
    model.eval()
    print(model.greedy(src))


if __name__ == "__main__":
    main()
