"""Masked contrastive pretraining of a small ViT: two views, masked reconstruction in the online
branch, a momentum encoder for the targets of the contrastive loss, and a linear probe."""
import argparse
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


class Block(nn.Module):
    def __init__(self, dim, heads, mlp_ratio=2):
        super().__init__()
        self.ln1 = nn.LayerNorm(dim)
        self.attn = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.ln2 = nn.LayerNorm(dim)
        self.mlp = nn.Sequential(
            nn.Linear(dim, dim * mlp_ratio), nn.GELU(), nn.Linear(dim * mlp_ratio, dim)
        )

    def forward(self, x):
        y = self.ln1(x)
        x = x + self.attn(y, y, y, need_weights=False)[0]
        return x + self.mlp(self.ln2(x))


def random_masking(x, ratio):
    """x [B, N, D] -> the kept tokens, ids that undo the shuffle, mask [B, N] (1 = removed)"""
    B, N, D = x.shape
    n_keep = int(N * (1 - ratio))
    noise = torch.rand(B, N, device=x.device)
    shuffle = noise.argsort(dim=1)
    restore = shuffle.argsort(dim=1)
    keep = shuffle[:, :n_keep]
    kept = torch.gather(x, 1, keep.unsqueeze(-1).expand(-1, -1, D))
    mask = torch.ones(B, N, device=x.device).scatter(1, keep, 0.0)
    return kept, restore, mask


class ViTEncoder(nn.Module):
    def __init__(self, img=24, patch=6, dim=48, depth=2, heads=4):
        super().__init__()
        self.n_patches = (img // patch) ** 2
        self.patchify = nn.Conv2d(3, dim, patch, stride=patch)
        self.cls = nn.Parameter(torch.zeros(1, 1, dim))
        self.pos = nn.Parameter(torch.randn(1, self.n_patches + 1, dim) * 0.02)
        self.blocks = nn.Sequential(*[Block(dim, heads) for _ in range(depth)])
        self.norm = nn.LayerNorm(dim)

    def forward(self, imgs, mask_ratio=0.0):
        x = self.patchify(imgs).flatten(2).transpose(1, 2)
        x = x + self.pos[:, 1:]
        restore = mask = None
        if mask_ratio > 0:
            x, restore, mask = random_masking(x, mask_ratio)
        cls = (self.cls + self.pos[:, :1]).expand(x.shape[0], -1, -1)
        x = self.norm(self.blocks(torch.cat([cls, x], dim=1)))
        return x, restore, mask


class PixelDecoder(nn.Module):
    def __init__(self, n_patches, dim, patch, dec_dim=32):
        super().__init__()
        self.embed = nn.Linear(dim, dec_dim)
        self.mask_token = nn.Parameter(torch.zeros(1, 1, dec_dim))
        self.pos = nn.Parameter(torch.randn(1, n_patches, dec_dim) * 0.02)
        self.block = Block(dec_dim, heads=2)
        self.pred = nn.Linear(dec_dim, patch * patch * 3)

    def forward(self, tokens, restore):
        x = self.embed(tokens[:, 1:])
        B, n_kept, C = x.shape
        fill = self.mask_token.repeat(B, restore.shape[1] - n_kept, 1)
        x = torch.cat([x, fill], dim=1)
        x = torch.gather(x, 1, restore.unsqueeze(-1).repeat(1, 1, C))
        return self.pred(self.block(x + self.pos))


def mlp_head(d_in, d_hidden, d_out):
    return nn.Sequential(
        nn.Linear(d_in, d_hidden), nn.BatchNorm1d(d_hidden), nn.ReLU(inplace=True),
        nn.Linear(d_hidden, d_out),
    )


class MaskedContrast(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.args = args
        self.encoder = ViTEncoder(args.img, args.patch, args.dim)
        self.projector = mlp_head(args.dim, 96, args.proj_dim)
        self.predictor = mlp_head(args.proj_dim, 64, args.proj_dim)
        self.decoder = PixelDecoder(self.encoder.n_patches, args.dim, args.patch)
        self.m_encoder = copy.deepcopy(self.encoder).requires_grad_(False)
        self.m_projector = copy.deepcopy(self.projector).requires_grad_(False)
        self.register_buffer("queue", F.normalize(torch.randn(args.proj_dim, args.queue), dim=0))
        self.ptr = 0

    @torch.no_grad()
    def momentum_step(self):
        m = self.args.momentum
        for online, slow in ((self.encoder, self.m_encoder), (self.projector, self.m_projector)):
            for p, q in zip(online.parameters(), slow.parameters()):
                q.mul_(m).add_(p, alpha=1 - m)

    @torch.no_grad()
    def enqueue(self, keys):
        n = keys.shape[0]
        self.queue[:, self.ptr:self.ptr + n] = keys.t()
        self.ptr = (self.ptr + n) % self.queue.shape[1]

    def pixel_targets(self, imgs):
        p = self.args.patch
        B, C, H, W = imgs.shape
        x = imgs.reshape(B, C, H // p, p, W // p, p)
        x = torch.einsum("bchpwq->bhwpqc", x).reshape(B, -1, p * p * C)
        mean, var = x.mean(dim=-1, keepdim=True), x.var(dim=-1, keepdim=True)
        return (x - mean) / (var + 1e-6).sqrt()

    def forward(self, v1, v2):
        tokens, restore, mask = self.encoder(v1, self.args.mask_ratio)
        err = (self.decoder(tokens, restore) - self.pixel_targets(v1)).pow(2).mean(dim=-1)
        rec = (err * mask).sum() / mask.sum()

        q = F.normalize(self.predictor(self.projector(tokens[:, 0])), dim=1)
        with torch.no_grad():
            slow, _, _ = self.m_encoder(v2)
            k = F.normalize(self.m_projector(slow[:, 0]), dim=1)
        logits = torch.cat([q @ k.t(), q @ self.queue.detach().clone()], dim=1)
        labels = torch.arange(q.shape[0], device=q.device)
        con = F.cross_entropy(logits / self.args.temp, labels)
        self.enqueue(k)
        return rec + self.args.weight * con


def augment(x):
    flip = torch.rand(x.shape[0], 1, 1, 1) < 0.5
    x = torch.where(flip, x.flip(-1), x)
    gain = 0.8 + 0.4 * torch.rand(x.shape[0], 3, 1, 1)
    return x * gain + 0.05 * torch.randn_like(x)


def linear_probe(encoder, images, labels, n_classes, epochs=5):
    encoder.eval()
    with torch.no_grad():
        feats = encoder(images)[0][:, 0]
    clf = nn.Linear(feats.shape[1], n_classes)
    opt = torch.optim.LBFGS(clf.parameters(), max_iter=epochs)

    def closure():
        opt.zero_grad()
        loss = F.cross_entropy(clf(feats), labels)
        loss.backward()
        return loss

    opt.step(closure)
    return (clf(feats).argmax(dim=1) == labels).float().mean().item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--img", type=int, default=24)
    ap.add_argument("--patch", type=int, default=6)
    ap.add_argument("--dim", type=int, default=48)
    ap.add_argument("--proj-dim", type=int, default=32)
    ap.add_argument("--queue", type=int, default=32)
    ap.add_argument("--mask-ratio", type=float, default=0.6)
    ap.add_argument("--momentum", type=float, default=0.99)
    ap.add_argument("--temp", type=float, default=0.2)
    ap.add_argument("--weight", type=float, default=0.5)
    args = ap.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)

    images = torch.rand(48, 3, args.img, args.img)
    labels = torch.randint(0, 4, (48,))
    model = MaskedContrast(args)
    opt = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-3)
    for step, batch in enumerate(images.split(16)):
        loss = model(augment(batch), augment(batch))
        opt.zero_grad()
        loss.backward()
        opt.step()
        model.momentum_step()
        print(f"[{step}] loss {loss.item():.3f}")
    acc = linear_probe(model.encoder, images, labels, n_classes=4)
    print(f"linear probe {acc:.2f}")


if __name__ == "__main__":
    main()
