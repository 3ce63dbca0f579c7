from torch import nn

from .config import GameConfig
from .layers import PolicyHead, ResidualBlock, ValueHead


class AlphaZeroNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.stem = nn.Sequential(
            nn.Conv2d(cfg.planes, cfg.filters, 3, padding=1), nn.GroupNorm(cfg.groups, cfg.filters), nn.ReLU()
        )
        self.tower = nn.ModuleList([ResidualBlock(cfg.filters, cfg.groups) for _ in range(cfg.blocks)])
        self.policy = PolicyHead(cfg.filters, cfg.policy_filters, cfg.board, cfg.actions)
        self.value = ValueHead(cfg.filters, cfg.board, cfg.value_hidden, cfg.value_bins)
        self.ownership = nn.Conv2d(cfg.filters, 1, 1)

    def forward(self, planes, legal):
        x = self.stem(planes)
        for block in self.tower:
            x = block(x)
        value, value_logits = self.value(x)
        return {
            "policy": self.policy(x, legal),
            "value": value,
            "value_logits": value_logits,
            "ownership": self.ownership(x).squeeze(1).tanh(),
        }


PRESETS = {"small": {"filters": 32, "blocks": 2}, "medium": {}}


def build_network(preset="small", **overrides):
    cfg = GameConfig(**{**PRESETS[preset], **overrides})
    return AlphaZeroNet(cfg), cfg
