"""Matches pictures and captions in both directions."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class TwoTowers(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.picture = nn.Sequential(nn.Flatten(), nn.Linear(3 * 8 * 8, dim))
        self.caption = nn.EmbeddingBag(70, dim)
        self.log_scale = nn.Parameter(torch.tensor(2.0))

    def forward(self, pictures, captions):
        p = F.normalize(self.picture(pictures), dim=-1)
        c = F.normalize(self.caption(captions), dim=-1)
        return self.log_scale.exp() * p @ c.mT


def caption_to_picture(sim):
    """A column is a caption, and its picture has the same number."""
    labels = torch.arange(sim.shape[0], device=sim.device)
    logp = F.log_softmax(sim, dim=0)
    return F.nll_loss(logp, labels)


def picture_to_caption(sim):
    labels = torch.arange(sim.shape[0], device=sim.device)
    return F.cross_entropy(sim, labels)


if __name__ == "__main__":
    torch.manual_seed(36)
    model = TwoTowers()
    sim = model(torch.rand(7, 3, 8, 8), torch.randint(0, 70, (7, 10)))
    there, back = picture_to_caption(sim), caption_to_picture(sim)
    (there + back).backward()
    print(there.item(), back.item())
