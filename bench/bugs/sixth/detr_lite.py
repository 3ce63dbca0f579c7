"""Objects as a set: a small CNN, positions of sines, queries that are learned, a matching-free loss."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class PositionEmbeddingSine(nn.Module):
    def __init__(self, num_pos_feats: int, temperature: float = 10000.0):
        super().__init__()
        self.num_pos_feats = num_pos_feats
        self.temperature = temperature

    def forward(self, x: Tensor) -> Tensor:
        b, _, h, w = x.shape
        y_embed = torch.arange(1, h + 1, dtype=torch.float32).view(1, h, 1).expand(b, h, w) / h * 2 * math.pi
        x_embed = torch.arange(1, w + 1, dtype=torch.float32).view(1, 1, w).expand(b, h, w) / w * 2 * math.pi
        dim_t = torch.arange(self.num_pos_feats, dtype=torch.float32)
        dim_t = self.temperature ** (2 * (dim_t // 2) / self.num_pos_feats)
        pos_x = x_embed[:, :, :, None] / dim_t
        pos_y = y_embed[:, :, :, None] / dim_t
        pos_x = torch.stack((pos_x[..., 0::2].sin(), pos_x[..., 1::2].cos()), dim=4).flatten(3)
        pos_y = torch.stack((pos_y[..., 0::2].sin(), pos_y[..., 1::2].cos()), dim=4).flatten(3)
        return torch.cat((pos_y, pos_x), dim=3).permute(0, 3, 1, 2)


class MLP(nn.Module):
    def __init__(self, input_dim, hidden_dim, output_dim, num_layers):
        super().__init__()
        h = [hidden_dim] * (num_layers - 1)
        self.layers = nn.ModuleList(nn.Linear(n, k) for n, k in zip([input_dim, *h], [*h, output_dim]))

    def forward(self, x):
        for i, layer in enumerate(self.layers):
            x = F.relu(layer(x)) if i < len(self.layers) - 1 else layer(x)
        return x


class DecoderLayer(nn.Module):
    def __init__(self, d_model: int, nhead: int, dim_feedforward: int):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(d_model, nhead)
        self.cross_attn = nn.MultiheadAttention(d_model, nhead)
        self.linear1 = nn.Linear(d_model, dim_feedforward)
        self.linear2 = nn.Linear(dim_feedforward, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)

    def forward(self, tgt: Tensor, memory: Tensor, pos: Tensor, query_pos: Tensor) -> Tensor:
        q = k = tgt + query_pos
        tgt = self.norm1(tgt + self.self_attn(q, k, tgt)[0])
        tgt = self.norm2(tgt + self.cross_attn(tgt + query_pos, memory + pos, memory)[0])
        return self.norm3(tgt + self.linear2(F.relu(self.linear1(tgt))))


class DETR(nn.Module):
    def __init__(self, num_classes=9, num_queries=13, hidden_dim=52, nhead=4, layers=2):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2d(3, 24, 7, stride=4, padding=3),
            nn.ReLU(),
            nn.Conv2d(24, 64, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(64, 88, 3, stride=2, padding=1),
        )
        self.input_proj = nn.Conv2d(88, hidden_dim, kernel_size=1)
        self.position = PositionEmbeddingSine(hidden_dim // 2)
        self.query_embed = nn.Embedding(num_queries, hidden_dim)
        self.decoder = nn.ModuleList([DecoderLayer(hidden_dim, nhead, 4 * hidden_dim) for _ in range(layers)])
        self.class_embed = nn.Linear(hidden_dim, num_classes + 1)
        self.bbox_embed = MLP(hidden_dim, hidden_dim, 4, 3)

    def forward(self, images: Tensor) -> dict[str, Tensor]:
        src = self.input_proj(self.backbone(images))
        pos = self.position(src).flatten(2).permute(2, 0, 1)
        memory = src.flatten(2).permute(2, 0, 1)
        query_pos = self.query_embed.weight.unsqueeze(1).repeat(1, images.shape[0], 1)
        hs = torch.zeros_like(query_pos)
        for layer in self.decoder:
            hs = layer(hs, memory, pos, query_pos)
        hs = hs.transpose(0, 1)
        return {"logits": self.class_embed(hs), "boxes": self.bbox_embed(hs).sigmoid()}


class SetLoss(nn.Module):
    def __init__(self, detr: DETR, eos_coef: float = 0.1):
        super().__init__()
        self.detr = detr
        weight = torch.ones(10)
        weight[-1] = eos_coef
        self.register_buffer("weight", weight)

    def forward(self, images, labels, boxes):
        out = self.detr(images)
        loss_ce = F.cross_entropy(out["logits"].transpose(1, 2), labels, self.weight)
        keep = labels < 9
        loss_box = F.l1_loss(out["boxes"], boxes, reduction="none").sum(-1)
        return loss_ce + (loss_box * keep).sum() / keep.sum().clamp(min=1)


if __name__ == "__main__":
    criterion = SetLoss(DETR())
    criterion(torch.rand(2, 3, 96, 128), torch.randint(0, 10, (2, 13)), torch.rand(2, 13, 4))
