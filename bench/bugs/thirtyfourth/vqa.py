import random

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset


class Config:
    vocab = 120
    pad = 0
    embed = 24
    hidden = 32
    heads = 4
    image = 32
    answers = 10
    max_len = 12
    batch = 6
    lr = 1e-3
    epochs = 1


class ToyVQA(Dataset):
    """Random questions, images, an answer and the word the answer points to."""

    def __init__(self, cfg, n=18):
        rnd = random.Random(0)
        self.items = []
        for _ in range(n):
            length = rnd.randint(3, cfg.max_len)
            question = torch.tensor([rnd.randrange(1, cfg.vocab) for _ in range(length)])
            image = torch.rand(3, cfg.image, cfg.image)
            self.items.append((question, image, rnd.randrange(cfg.answers), rnd.randrange(length)))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def collate(items):
    questions, images, answers, pointers = zip(*items)
    lengths = torch.tensor([len(q) for q in questions])
    questions = pad_sequence(questions, batch_first=True, padding_value=Config.pad)
    return questions, lengths, torch.stack(images), torch.tensor(answers), torch.tensor(pointers)


class QuestionEncoder(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.embed = nn.Embedding(cfg.vocab, cfg.embed, padding_idx=cfg.pad)
        self.lstm = nn.LSTM(cfg.embed, cfg.hidden // 2, batch_first=True, bidirectional=True)
        self.norm = nn.LayerNorm(cfg.hidden)

    def forward(self, tokens, lengths):
        x = self.embed(tokens)
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        out, (h, _) = self.lstm(packed)
        out, _ = pad_packed_sequence(out, batch_first=True)
        summary = torch.cat([h[-2], h[-1]], dim=-1)
        return self.norm(out), summary


class ImageEncoder(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cnn = nn.Sequential(
            nn.Conv2d(3, 16, 3, stride=2, padding=1), nn.BatchNorm2d(16), nn.ReLU(),
            nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.BatchNorm2d(32), nn.ReLU(),
        )
        self.proj = nn.Conv2d(32, cfg.hidden, 1)
        side = cfg.image // 4
        self.row = nn.Parameter(torch.randn(side, 1, cfg.hidden) * 0.02)
        self.col = nn.Parameter(torch.randn(1, side, cfg.hidden) * 0.02)

    def forward(self, images):
        fmap = self.proj(self.cnn(images))
        fmap = fmap.permute(0, 2, 3, 1) + self.row + self.col
        return fmap.flatten(1, 2)


class FusionBlock(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cross = nn.MultiheadAttention(cfg.hidden, cfg.heads, batch_first=True)
        self.self_attn = nn.MultiheadAttention(cfg.hidden, cfg.heads, batch_first=True)
        self.ffn = nn.Sequential(nn.Linear(cfg.hidden, 64), nn.GELU(), nn.Linear(64, cfg.hidden))
        self.norms = nn.ModuleList([nn.LayerNorm(cfg.hidden) for _ in range(3)])

    def forward(self, q, img, pad_mask):
        a, weights = self.cross(q, img, img)
        q = self.norms[0](q + a)
        a, _ = self.self_attn(q, q, q, key_padding_mask=pad_mask)
        q = self.norms[1](q + a)
        return self.norms[2](q + self.ffn(q)), weights


class VQAModel(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.question = QuestionEncoder(cfg)
        self.vision = ImageEncoder(cfg)
        self.blocks = nn.ModuleList([FusionBlock(cfg) for _ in range(2)])
        self.answer = nn.Sequential(nn.Linear(cfg.hidden * 3, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, cfg.answers))
        self.ptr_query = nn.Linear(cfg.hidden * 2, cfg.hidden)
        self.ptr_key = nn.Linear(cfg.hidden, cfg.hidden)

    def forward(self, tokens, lengths, images):
        words, summary = self.question(tokens, lengths)
        img = self.vision(images)
        pad_mask = torch.arange(tokens.size(1))[None, :] >= lengths[:, None]
        for block in self.blocks:
            words, weights = block(words, img, pad_mask)

        keep = (~pad_mask).unsqueeze(-1).float()
        pooled = (words * keep).sum(dim=1) / keep.sum(dim=1)
        answer = self.answer(torch.cat([pooled, summary, img.mean(dim=1)], dim=-1))

        query = self.ptr_query(torch.cat([pooled, summary], dim=-1))
        pointer = torch.bmm(self.ptr_key(words), query.unsqueeze(2)).squeeze(2)
        pointer = pointer.masked_fill(pad_mask, -1e9)
        heat = (weights * keep).sum(dim=1) / keep.sum(dim=1)
        return answer, pointer, heat.view(-1, images.size(2) // 4, images.size(3) // 4)


class Trainer:
    def __init__(self, cfg):
        self.cfg = cfg
        self.model = VQAModel(cfg)
        self.loader = DataLoader(ToyVQA(cfg), batch_size=cfg.batch, shuffle=True, collate_fn=collate)
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=cfg.lr)

    def loss(self, answer, pointer, gold, gold_ptr):
        return F.cross_entropy(answer, gold, label_smoothing=0.1) + 0.5 * F.cross_entropy(pointer, gold_ptr)

    def step(self, batch):
        tokens, lengths, images, gold, gold_ptr = batch
        answer, pointer, heat = self.model(tokens, lengths, images)
        loss = self.loss(answer, pointer, gold, gold_ptr)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        top = answer.topk(3, dim=-1).indices
        hit = (top == gold.unsqueeze(1)).any(dim=1)
        picked = tokens.gather(1, pointer.argmax(dim=1, keepdim=True)).squeeze(1)
        return {"loss": loss.item(), "acc3": hit.float().mean().item(), "words": picked.tolist(), "heat": heat.detach()}

    def overlay(self, images, heat):
        up = F.interpolate(heat.unsqueeze(1), size=images.shape[-2:], mode="bilinear", align_corners=False)
        return images * up / up.amax(dim=(2, 3), keepdim=True)

    def fit(self):
        for epoch in range(self.cfg.epochs):
            for batch in self.loader:
                stats = self.step(batch)
            shown = self.overlay(batch[2], stats["heat"])
            print(f"epoch {epoch} loss {stats['loss']:.3f} acc@3 {stats['acc3']:.2f} {tuple(shown.shape)} {stats['words']}")


if __name__ == "__main__":
    torch.manual_seed(0)
    Trainer(Config()).fit()
