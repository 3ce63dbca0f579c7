import torch
import torch.nn.functional as F
from torch import nn


class CLIP(nn.Module):
    def __init__(self, vision, text, embed_dim=96):
        super().__init__()
        self.vision, self.text = vision, text
        self.image_proj = nn.Linear(vision.width, embed_dim, bias=False)
        self.text_proj = nn.Linear(text.width, embed_dim, bias=False)
        self.logit_scale = nn.Parameter(torch.tensor(2.65))

    def forward(self, images, tokens):
        image = F.normalize(self.image_proj(self.vision(images)), dim=-1)
        text = F.normalize(self.text_proj(self.text(tokens)), dim=-1)
        return self.logit_scale.exp() * image @ text.t()


def clip_loss(logits):
    labels = torch.arange(logits.size(0), device=logits.device)
    return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.t(), labels)) / 2
