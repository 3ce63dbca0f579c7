"""Selective copying: read some tokens between blanks, then write them down in order."""
import argparse

import torch
import torch.nn.functional as F
from torch import nn

import ssm_ops as ops

BLANK, GO = 0, 1


def get_hparams(args):
    d_model = args.d_model
    return {
        "d_model": d_model,
        "d_inner": 2 * d_model,
        "d_state": args.d_state,
        "d_conv": 4,
        "dt_rank": d_model // 8,
        "layers": args.layers,
        "vocab": args.symbols + 2,
    }


def make_batch(args):
    x = torch.zeros(args.batch, args.length + args.copies, dtype=torch.long)
    y = torch.zeros(args.batch, args.copies, dtype=torch.long)
    for i in range(args.batch):
        where = torch.randperm(args.length)[:args.copies].sort().values
        what = torch.randint(2, args.symbols + 2, (args.copies,))
        x[i, where] = what
        x[i, args.length:] = GO
        y[i] = what
    return x, y


def init_params(hp):
    return {"blocks": [ops.init_block(hp) for _ in range(hp["layers"])]}


def leaves(tree):
    if isinstance(tree, dict):
        tree = list(tree.values())
    if isinstance(tree, list):
        return [leaf for sub in tree for leaf in leaves(sub)]
    return [tree]


def init_modules(hp):
    return nn.ModuleDict({
        "embed": nn.Embedding(hp["vocab"], hp["d_model"]),
        "norms": nn.ModuleList(nn.LayerNorm(hp["d_model"]) for _ in range(hp["layers"])),
        "final": nn.LayerNorm(hp["d_model"]),
        "head": nn.Linear(hp["d_model"], hp["vocab"]),
    })


def apply(params, modules, tokens, hp):
    x = modules["embed"](tokens)
    for p, norm in zip(params["blocks"], modules["norms"]):
        x = x + ops.block(p, norm(x), hp)
    return modules["head"](modules["final"](x))


def loss_fn(params, modules, batch, hp):
    tokens, target = batch
    logits = apply(params, modules, tokens, hp)[:, -target.shape[1]:]
    loss = F.cross_entropy(logits.reshape(-1, hp["vocab"]), target.reshape(-1))
    acc = (logits.argmax(-1) == target).float().mean()
    return loss, acc


@torch.no_grad()
def decode(params, modules, tokens, hp, copies):
    states = [ops.init_state(hp, tokens.shape[0]) for _ in params["blocks"]]
    out = []
    for t in range(tokens.shape[1]):
        x = modules["embed"](tokens[:, t])
        for p, norm, state in zip(params["blocks"], modules["norms"], states):
            x = x + ops.block_step(p, state, norm(x), hp)
        out.append(modules["head"](modules["final"](x)).argmax(-1))
    return torch.stack(out, dim=1)[:, -copies:]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--d_model", type=int, default=24)
    parser.add_argument("--d_state", type=int, default=6)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--symbols", type=int, default=9)
    parser.add_argument("--length", type=int, default=20)
    parser.add_argument("--copies", type=int, default=5)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--steps", type=int, default=2)
    args = parser.parse_args()

    torch.manual_seed(1)
    hp = get_hparams(args)
    params, modules = init_params(hp), init_modules(hp)
    trainable = [leaf.requires_grad_() for leaf in leaves(params)] + list(modules.parameters())
    opt = torch.optim.Adam(trainable, lr=3e-3)
    for step in range(args.steps):
        loss, acc = loss_fn(params, modules, make_batch(args), hp)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print("step", step, "loss", round(loss.item(), 4), "acc", round(acc.item(), 3))

    tokens, target = make_batch(args)
    written = decode(params, modules, tokens, hp, args.copies)
    print("copied right:", (written == target).float().mean().item())


main()
