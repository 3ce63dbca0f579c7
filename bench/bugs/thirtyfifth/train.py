"""python train.py -- trains the enhancer on tones in noise."""
import torch
from torch.utils.data import DataLoader, Dataset

from denoise.config import TrainConfig
from denoise.losses import compressed_magnitude_loss, si_snr
from denoise.model import Enhancer


class TonesInNoise(Dataset):
    def __init__(self, samples, sample_rate, count=4):
        self.samples, self.sample_rate, self.count = samples, sample_rate, count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        t = torch.arange(self.samples) / self.sample_rate
        clean = torch.sin(2 * torch.pi * (200 + 50 * index) * t)
        return clean + 0.3 * torch.randn(self.samples), clean


def train(cfg: TrainConfig):
    torch.manual_seed(0)
    model = Enhancer(cfg.audio, cfg.model)
    data = TonesInNoise(cfg.audio.clip_samples, cfg.audio.sample_rate)
    loader = DataLoader(data, batch_size=cfg.batch_size, shuffle=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
    for step, (noisy, clean) in enumerate(loader):
        estimate, est_spec = model(noisy)
        ref_spec = model.transform.analyse(clean)
        loss = -si_snr(estimate, clean).mean()
        loss = loss + cfg.mag_weight * compressed_magnitude_loss(est_spec, ref_spec)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step}: loss {loss.item():.3f}")
        if step + 1 >= cfg.steps:
            break


if __name__ == "__main__":
    torch.set_num_threads(1)
    train(TrainConfig())
