"""Pictures and captions: two towers with a contrastive loss, and cross attention that answers questions."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class ResBlock(nn.Module):
    def __init__(self, c_in, c_out, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(c_in, c_out, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(c_out)
        self.conv2 = nn.Conv2d(c_out, c_out, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(c_out)
        self.short = nn.Identity()
        if stride != 1 or c_in != c_out:
            self.short = nn.Sequential(nn.Conv2d(c_in, c_out, 1, stride, bias=False), nn.BatchNorm2d(c_out))

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        return F.relu(y + self.short(x))


class ImageTower(nn.Module):
    def __init__(self, dim, widths=(16, 32, 64)):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, widths[0], 3, 2, 1), nn.ReLU())
        blocks = []
        for c_in, c_out in zip(widths[:-1], widths[1:]):
            blocks.append(ResBlock(c_in, c_out, stride=2))
        self.blocks = nn.Sequential(*blocks)
        self.proj = nn.Conv2d(widths[-1], dim, 1)
        self.pos = nn.Parameter(torch.zeros(1, 16, dim))

    def forward(self, images):
        x = self.proj(self.blocks(self.stem(images)))
        tokens = x.flatten(2).transpose(1, 2) + self.pos
        return tokens, tokens.mean(dim=1)


class TextTower(nn.Module):
    def __init__(self, vocab, dim, heads=4, layers=2, context=12):
        super().__init__()
        self.token = nn.Embedding(vocab, dim)
        self.pos = nn.Embedding(context, dim)
        layer = nn.TransformerEncoderLayer(dim, heads, dim * 4, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(dim)

    def forward(self, ids):
        pad = ids == 0
        x = self.token(ids) + self.pos(torch.arange(ids.size(1), device=ids.device))
        x = self.norm(self.encoder(x, src_key_padding_mask=pad))
        last = (~pad).sum(dim=1) - 1
        return x, x[torch.arange(len(x)), last], pad


class Fusion(nn.Module):
    """Words look at the picture, then the answer is chosen."""

    def __init__(self, dim, answers, heads=4):
        super().__init__()
        self.cross = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.film = nn.Linear(8, 2 * dim)
        self.head = nn.Sequential(nn.LayerNorm(2 * dim), nn.Linear(2 * dim, dim), nn.GELU(), nn.Linear(dim, answers))

    def forward(self, words, tokens, pad, meta):
        seen, _ = self.cross(words, tokens, tokens)
        scale, shift = self.film(meta).unsqueeze(1).chunk(2, dim=-1)
        seen = seen * (1 + scale) + shift
        keep = (~pad).unsqueeze(-1).float()
        pooled = (seen * keep).sum(1) / keep.sum(1)
        return self.head(torch.cat([pooled, tokens.mean(dim=1)], dim=-1))


class Model(nn.Module):
    def __init__(self, vocab=60, dim=48, answers=7):
        super().__init__()
        self.image = ImageTower(dim)
        self.text = TextTower(vocab, dim)
        self.fusion = Fusion(dim, answers)
        self.image_proj = nn.Linear(dim, 32, bias=False)
        self.text_proj = nn.Linear(dim, 32, bias=False)
        self.logit_scale = nn.Parameter(torch.tensor(2.6))

    def forward(self, images, ids, meta):
        tokens, image = self.image(images)
        words, text, pad = self.text(ids)
        image = F.normalize(self.image_proj(image), dim=-1)
        text = F.normalize(self.text_proj(text), dim=-1)
        logits = self.logit_scale.exp() * image @ text.t()
        return logits, self.fusion(words, tokens, pad, meta)


def main():
    rng = np.random.default_rng(0)
    model = Model()
    optim = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for _ in range(2):
        images = torch.from_numpy(rng.random((6, 3, 32, 32), dtype=np.float32))
        ids = torch.from_numpy(rng.integers(1, 60, (6, 10)))
        ids[:, 8:] = 0
        meta = torch.from_numpy(rng.normal(size=(6, 8))).float()
        answers = torch.from_numpy(rng.integers(0, 7, 6))
        logits, answer = model(images, ids, meta)
        target = torch.arange(len(logits))
        clip = (F.cross_entropy(logits, target) + F.cross_entropy(logits.t(), target)) / 2
        loss = clip + F.cross_entropy(answer, answers)
        optim.zero_grad()
        loss.backward()
        optim.step()
        print(loss.item())


if __name__ == "__main__":
    main()
