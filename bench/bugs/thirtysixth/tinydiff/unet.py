import torch
import torch.nn as nn
import torch.nn.functional as F

from .blocks import AttnBlock, ResBlock, timestep_embedding

class UNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        m = cfg["model"]
        base, groups = m["base"], m["norm_groups"]
        self.time_dim = m["time_dim"]
        emb_dim = self.time_dim * 2
        self.time_mlp = nn.Sequential(nn.Linear(self.time_dim, emb_dim), nn.SiLU(), nn.Linear(emb_dim, emb_dim))
        # the last row is the "no class" token of classifier-free guidance
        self.null_class = cfg["num_classes"]
        self.label_emb = nn.Embedding(cfg["num_classes"] + 1, emb_dim)

        self.conv_in = nn.Conv2d(cfg["in_channels"], base, 3, padding=1)
        self.down, self.up = nn.ModuleList(), nn.ModuleList()
        ch, res, skips = base, cfg["image_size"], []
        for i, mult in enumerate(m["mults"]):
            out = base * mult
            stage = nn.ModuleDict({"block": ResBlock(ch, out, emb_dim, groups)})
            if res in m["attn_resolutions"]:
                stage["attn"] = AttnBlock(out, m["num_heads"], groups)
            if i < len(m["mults"]) - 1:
                stage["down"] = nn.Conv2d(out, out, 3, stride=2, padding=1)
                res //= 2
            self.down.append(stage)
            skips.append(out)
            ch = out

        self.mid1 = ResBlock(ch, ch, emb_dim, groups)
        self.mid_attn = AttnBlock(ch, m["num_heads"], groups)
        self.mid2 = ResBlock(ch, ch, emb_dim, groups)

        for i, mult in reversed(list(enumerate(m["mults"]))):
            out = base * mult
            stage = nn.ModuleDict({"block": ResBlock(ch + skips.pop(), out, emb_dim, groups)})
            if res in m["attn_resolutions"]:
                stage["attn"] = AttnBlock(out, m["num_heads"], groups)
            if i > 0:
                stage["up"] = nn.Sequential(nn.Upsample(scale_factor=2), nn.Conv2d(out, out, 3, padding=1))
                res *= 2
            self.up.append(stage)
            ch = out

        self.norm_out = nn.GroupNorm(groups, ch)
        self.conv_out = nn.Conv2d(ch, cfg["in_channels"], 3, padding=1)

    def forward(self, x, t, y):
        emb = self.time_mlp(timestep_embedding(t, self.time_dim))
        emb = emb + self.label_emb(y)
        h, skips = self.conv_in(x), []
        for stage in self.down:
            h = stage["block"](h, emb)
            if "attn" in stage:
                h = stage["attn"](h)
            skips.append(h)
            if "down" in stage:
                h = stage["down"](h)
        h = self.mid2(self.mid_attn(self.mid1(h, emb)), emb)
        for stage in self.up:
            h = torch.cat([h, skips.pop()], dim=1)
            h = stage["block"](h, emb)
            if "attn" in stage:
                h = stage["attn"](h)
            if "up" in stage:
                h = stage["up"](h)
        return self.conv_out(F.silu(self.norm_out(h)))
