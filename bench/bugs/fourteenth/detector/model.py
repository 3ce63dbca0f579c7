import torch
import torch.nn.functional as F
from torch import nn

from .backbone import Backbone, PositionEmbeddingLearned
from .transformer import Decoder


class MLP(nn.Module):
    def __init__(self, input_dim, hidden_dim, output_dim, num_layers):
        super().__init__()
        h = [hidden_dim] * (num_layers - 1)
        self.layers = nn.ModuleList(nn.Linear(n, k) for n, k in zip([input_dim] + h, h + [output_dim]))

    def forward(self, x):
        for i, layer in enumerate(self.layers):
            x = F.relu(layer(x)) if i < len(self.layers) - 1 else layer(x)
        return x


class DETR(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.backbone = Backbone(width=args.width)
        memory_dim = 2 * args.num_pos_feats
        self.input_proj = nn.Conv2d(self.backbone.num_channels, memory_dim, kernel_size=1)
        self.position = PositionEmbeddingLearned(args.num_pos_feats)
        self.query_embed = nn.Embedding(args.num_queries, args.hidden_dim)
        self.decoder = Decoder(args.hidden_dim, args.nheads, memory_dim, args.dec_layers)
        self.class_embed = nn.Linear(args.hidden_dim, args.num_classes + 1)
        self.bbox_embed = MLP(args.hidden_dim, args.hidden_dim, 4, 3)

    def forward(self, images, mask):
        src = self.backbone(images)
        mask = F.interpolate(mask[:, None].float(), size=src.shape[-2:]).to(torch.bool)[:, 0]
        src = self.input_proj(src) + self.position(src)
        memory = src.flatten(2).permute(0, 2, 1)
        query_embed = self.query_embed.weight.unsqueeze(0).repeat(images.size(0), 1, 1)
        tgt = torch.zeros_like(query_embed)
        hs = self.decoder(tgt, memory, mask.flatten(1), query_embed)
        return {"pred_logits": self.class_embed(hs), "pred_boxes": self.bbox_embed(hs).sigmoid()}


class SetCriterion(nn.Module):
    """Takes the first queries for the targets, in place of matching."""

    def __init__(self, model, num_classes, eos_coef=0.1):
        super().__init__()
        self.model = model
        self.num_classes = num_classes
        weight = torch.ones(num_classes + 1)
        weight[-1] = eos_coef
        self.register_buffer("empty_weight", weight)

    def forward(self, images, mask, labels, boxes):
        outputs = self.model(images, mask)
        logits = outputs["pred_logits"]
        target = torch.full(logits.shape[:2], self.num_classes, dtype=torch.int64)
        target[:, : labels.size(1)] = labels
        loss_ce = F.cross_entropy(logits.transpose(1, 2), target, self.empty_weight)
        loss_box = F.l1_loss(outputs["pred_boxes"][:, : boxes.size(1)], boxes)
        return loss_ce + 5 * loss_box
