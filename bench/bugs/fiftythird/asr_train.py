"""Trains a recogniser of digits with CTC on utterances that are made up."""
import torch
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence

from asr_config import AsrConfig
from asr_net import Recogniser


class Utterances:
    """Each digit lifts its own band of mels for some frames."""

    def __init__(self, cfg, count=18):
        gen = torch.Generator().manual_seed(cfg.seed)
        self.items = []
        for _ in range(count):
            digits = torch.randint(1, cfg.symbols, (int(torch.randint(2, 6, (), generator=gen)),), generator=gen)
            frames = []
            for d in digits.tolist():
                part = 0.3 * torch.randn(int(torch.randint(10, 20, (), generator=gen)), cfg.n_mels, generator=gen)
                part[:, 3 * d:3 * d + 5] += 1.5
                frames.append(part)
            self.items.append((torch.cat(frames), digits))

    def batches(self, size):
        for i in range(0, len(self.items), size):
            yield self.collate(self.items[i:i + size])

    @staticmethod
    def collate(items):
        mels, digits = zip(*items)
        lengths = torch.tensor([len(m) for m in mels])
        counts = torch.tensor([len(d) for d in digits])
        return pad_sequence(mels, batch_first=True), lengths, torch.cat(digits), counts


class AsrTrainer:
    def __init__(self, cfg):
        self.cfg = cfg
        self.model = Recogniser(cfg)
        self.data = Utterances(cfg)
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=cfg.lr)

    def step(self, batch):
        mels, lengths, digits, counts = batch
        scores, frames = self.model(mels, lengths)
        loss = F.ctc_loss(scores.transpose(0, 1), digits, frames, counts, blank=0, zero_infinity=True)
        self.opt.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 5.0)
        self.opt.step()
        return loss.item()

    def fit(self):
        self.model.train()
        for step in range(self.cfg.steps):
            losses = [self.step(batch) for batch in self.data.batches(self.cfg.batch_size)]
            print(f"pass {step}: loss {sum(losses) / len(losses):.3f}")

    @torch.no_grad()
    def transcribe(self, mels, lengths):
        self.model.eval()
        scores, frames = self.model(mels, lengths)
        texts = []
        for best, n in zip(scores.argmax(dim=-1), frames):
            path = torch.unique_consecutive(best[:n])
            texts.append(path[path != 0].tolist())
        return texts


if __name__ == "__main__":
    config = AsrConfig()
    torch.manual_seed(config.seed)
    trainer = AsrTrainer(config)
    trainer.fit()
    first = next(trainer.data.batches(config.batch_size))
    print(trainer.transcribe(first[0], first[1])[:2])
