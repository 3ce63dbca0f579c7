# kaggle-style single file: house-price-ish regression with piecewise-linear encodings (Gorishniy et al. 2022)
# everything is a function on a dict of params; only the norm + dropout bits are modules
import math

import torch
import torch.nn.functional as F
from torch import nn

CFG = dict(
    n_rows=96,
    n_num=6,
    cards=[5, 12, 3],
    n_bins=8,
    d_num=12,
    d_cat=10,
    d_token=16,
    d_block=48,
    n_blocks=2,
    members=4,
    dropout=0.1,
    lr=2e-3,
    batch=32,
    folds=3,
    seed=2024,
)


# ------------------------------------------------------------------ data
def make_table(cfg):
    g = torch.Generator().manual_seed(cfg["seed"])
    x_num = torch.randn(cfg["n_rows"], cfg["n_num"], generator=g)
    x_num[:, 0] = x_num[:, 0].exp()
    cats = [torch.randint(0, c, (cfg["n_rows"],), generator=g) for c in cfg["cards"]]
    x_cat = torch.stack(cats, dim=1)
    y = x_num[:, 0].sqrt() + 0.5 * x_num[:, 1] * (x_cat[:, 0] > 2) + 0.1 * x_cat[:, 1]
    return x_num, x_cat, y


def bin_edges(x, n_bins):
    """[n_features, n_bins + 1] quantile edges."""
    q = torch.linspace(0, 1, n_bins + 1)
    edges = torch.quantile(x, q, dim=0)
    return edges.t().contiguous()


def encode(x, edges):
    """piecewise-linear encoding: [rows, features] -> [rows, features, bins]"""
    left, right = edges[:, :-1], edges[:, 1:]
    ratio = (x[:, :, None] - left) / (right - left).clamp_min(1e-6)
    first = torch.zeros_like(ratio, dtype=torch.bool)
    first[:, :, 0] = True
    last = torch.zeros_like(first)
    last[:, :, -1] = True
    low = torch.where(first, ratio, ratio.clamp(min=0.0))
    return torch.where(last, low, low.clamp(max=1.0))


def which_bin(x, edges):
    """ids of the bins, for the bin-embedding half of the tokens"""
    inner = edges[:, 1:-1].contiguous()
    return torch.searchsorted(inner, x.t().contiguous()).t()


# ------------------------------------------------------------------ params
def init(*shape, fan):
    bound = 1 / math.sqrt(fan)
    return nn.Parameter(torch.empty(*shape).uniform_(-bound, bound))


def make_params(cfg):
    p = {}
    p["ple.w"] = init(cfg["n_num"], cfg["n_bins"], cfg["d_num"], fan=cfg["n_bins"])
    p["ple.b"] = init(cfg["n_num"], cfg["d_num"], fan=cfg["n_bins"])
    p["bins"] = init(cfg["n_num"] * cfg["n_bins"], cfg["d_token"] - cfg["d_num"], fan=16)
    p["cats"] = init(sum(cfg["cards"]), cfg["d_cat"], fan=cfg["d_cat"])
    p["cat_up"] = init(cfg["d_token"], cfg["d_cat"], fan=cfg["d_cat"])
    n_tokens = cfg["n_num"] + len(cfg["cards"])
    d_in = n_tokens * cfg["d_token"]
    for i in range(cfg["n_blocks"]):
        # batch-ensemble: one shared matrix, a scale for each member before and after it
        p[f"{i}.w"] = init(cfg["d_block"], d_in, fan=d_in)
        p[f"{i}.r"] = nn.Parameter(torch.ones(cfg["members"], d_in) + 0.1 * torch.randn(cfg["members"], d_in))
        p[f"{i}.s"] = nn.Parameter(torch.ones(cfg["members"], cfg["d_block"]))
        p[f"{i}.b"] = nn.Parameter(torch.zeros(cfg["members"], cfg["d_block"]))
        d_in = cfg["d_block"]
    p["head.w"] = init(cfg["members"], cfg["d_block"], fan=cfg["d_block"])
    p["head.b"] = nn.Parameter(torch.zeros(cfg["members"]))
    return p


def make_modules(cfg):
    return {
        "norm": nn.LayerNorm(cfg["d_token"]),
        "drop": nn.Dropout(cfg["dropout"]),
    }


# ------------------------------------------------------------------ model
def num_tokens(p, x, edges):
    enc = encode(x, edges)
    lin = torch.einsum("nfb,fbd->nfd", enc, p["ple.w"]) + p["ple.b"]
    n_bins = edges.shape[1] - 1
    ids = which_bin(x, edges) + torch.arange(x.shape[1]) * n_bins
    emb = F.embedding(ids, p["bins"])
    return torch.cat([F.relu(lin), emb], dim=-1)


def cat_tokens(p, x, cards):
    offsets = torch.tensor([0] + cards[:-1]).cumsum(0)
    emb = F.embedding(x + offsets, p["cats"])
    return F.linear(emb, p["cat_up"])


def backbone(p, mods, tokens, cfg):
    h = mods["norm"](tokens).flatten(1)
    h = h[:, None, :].expand(-1, cfg["members"], -1)
    for i in range(cfg["n_blocks"]):
        z = F.linear(h * p[f"{i}.r"], p[f"{i}.w"])
        z = mods["drop"](F.relu(z * p[f"{i}.s"] + p[f"{i}.b"]))
        h = z if i == 0 else h + z
    return h


def forward(p, mods, x_num, x_cat, edges, cfg):
    tokens = torch.cat([num_tokens(p, x_num, edges), cat_tokens(p, x_cat, cfg["cards"])], dim=1)
    h = backbone(p, mods, tokens, cfg)
    return (h * p["head.w"]).sum(-1) + p["head.b"]  # [rows, members]


# ------------------------------------------------------------------ cv
def run_fold(fold, x_num, x_cat, y, cfg):
    torch.manual_seed(cfg["seed"] + fold)
    held = torch.arange(len(y)) % cfg["folds"] == fold
    tr, va = (~held).nonzero().squeeze(1), held.nonzero().squeeze(1)
    mean, std = x_num[tr].mean(0), x_num[tr].std(0)
    x_num = (x_num - mean) / std
    edges = bin_edges(x_num[tr], cfg["n_bins"])
    y_mean, y_std = y[tr].mean(), y[tr].std()

    p, mods = make_params(cfg), make_modules(cfg)
    params = list(p.values()) + list(mods["norm"].parameters())
    opt = torch.optim.AdamW(params, lr=cfg["lr"], weight_decay=1e-4)
    for ids in tr[torch.randperm(len(tr))].split(cfg["batch"]):
        pred = forward(p, mods, x_num[ids], x_cat[ids], edges, cfg)
        target = ((y[ids] - y_mean) / y_std).unsqueeze(1).expand(-1, cfg["members"])
        loss = F.smooth_l1_loss(pred, target)
        opt.zero_grad()
        loss.backward()
        opt.step()

    mods["drop"].eval()
    with torch.no_grad():
        pred = forward(p, mods, x_num[va], x_cat[va], edges, cfg).mean(1) * y_std + y_mean
    return va, pred


def main(cfg=CFG):
    x_num, x_cat, y = make_table(cfg)
    oof = torch.zeros(len(y))
    for fold in range(cfg["folds"]):
        va, pred = run_fold(fold, x_num, x_cat, y, cfg)
        oof[va] = pred
        print(f"fold {fold} rmse {F.mse_loss(pred, y[va]).sqrt():.4f}")
    print(f"oof rmse {F.mse_loss(oof, y).sqrt():.4f}")


main()
