# Classification of point clouds by attention over nearest neighbours.
# Ported from our JAX code: no modules, parameters are nested dicts, every function is pure.
import numpy as np
import torch
import torch.nn.functional as F

HP = {
    "n_points": 40,
    "k": 8,
    "width": 24,
    "heads": 4,
    "layers": 2,
    "batch": 16,
    "lr": 4e-3,
    "b1": 0.9,
    "b2": 0.99,
}
SHAPES = ("ball", "box", "helix")


# ---- pytrees -------------------------------------------------------------------------------------

def tree_map(f, tree, *rest):
    if isinstance(tree, dict):
        return {key: tree_map(f, tree[key], *(r[key] for r in rest)) for key in tree}
    return f(tree, *rest)


def tree_leaves(tree):
    return [leaf for value in tree.values() for leaf in tree_leaves(value)] if isinstance(tree, dict) else [tree]


# ---- parameters ----------------------------------------------------------------------------------

def init_dense(gen, n_in, n_out):
    w = torch.randn(n_in, n_out, generator=gen) / n_in**0.5
    return {"w": w, "b": torch.zeros(n_out)}


def init_params(gen, hp):
    width = hp["width"]
    params = {"lift": init_dense(gen, 3, width)}
    for i in range(hp["layers"]):
        params[f"layer{i}"] = {
            "edge": init_dense(gen, 2 * width + 1, width),
            "score": 0.1 * torch.randn(hp["heads"], width // hp["heads"], generator=gen),
            "node": init_dense(gen, 2 * width, width),
        }
    params["read"] = init_dense(gen, 2 * width, len(SHAPES))
    return params


# ---- model ---------------------------------------------------------------------------------------

def dense(p, x):
    return x @ p["w"] + p["b"]


def neighbours(points, k):
    """Indices of and distances to the k nearest others, each [B, N, k]."""
    dist = torch.cdist(points, points)
    near = dist.topk(k + 1, largest=False)
    return near.indices[..., 1:], near.values[..., 1:]


def edge_attention(p, x, idx, dist, hp):
    B, N, W = x.shape
    rows = torch.arange(B)[:, None, None]
    sender = x[rows, idx]
    receiver = x[:, :, None].expand(-1, -1, hp["k"], -1)
    edge = torch.cat([receiver, sender - receiver, dist[..., None]], dim=-1)
    message = torch.relu(dense(p["edge"], edge))
    message = message.unflatten(-1, (hp["heads"], -1))
    score = torch.einsum("bnkhd,hd->bnkh", message, p["score"])
    alpha = torch.softmax(score, dim=2)
    heard = torch.einsum("bnkh,bnkhd->bnhd", alpha, message).flatten(2)
    return x + torch.relu(dense(p["node"], torch.cat([x, heard], dim=-1)))


def apply(params, points, hp):
    points = points - points.mean(dim=1, keepdim=True)
    idx, dist = neighbours(points, hp["k"])
    x = dense(params["lift"], points)
    for i in range(hp["layers"]):
        x = edge_attention(params[f"layer{i}"], x, idx, dist, hp)
    pooled = torch.cat([x.mean(dim=1), x.amax(dim=1)], dim=-1)
    return torch.log_softmax(dense(params["read"], pooled), dim=-1)


def loss_fn(params, batch, hp):
    logp = apply(params, batch["points"], hp)
    return F.nll_loss(logp, batch["label"]), logp


# ---- optimisation --------------------------------------------------------------------------------

def value_and_grad(params, batch, hp):
    params = tree_map(lambda p: p.detach().requires_grad_(), params)
    loss, logp = loss_fn(params, batch, hp)
    grads = iter(torch.autograd.grad(loss, tree_leaves(params)))
    hits = (logp.argmax(dim=-1) == batch["label"]).float().mean()
    return loss.item(), hits.item(), tree_map(lambda _: next(grads), params)


def adam(params, grads, state, step, hp):
    b1, b2 = hp["b1"], hp["b2"]
    m = tree_map(lambda m, g: b1 * m + (1 - b1) * g, state["m"], grads)
    v = tree_map(lambda v, g: b2 * v + (1 - b2) * g * g, state["v"], grads)
    rate = hp["lr"] * (1 - b2**step) ** 0.5 / (1 - b1**step)
    return tree_map(lambda p, m, v: p - rate * m / (v.sqrt() + 1e-8), params, m, v), {"m": m, "v": v}


# ---- data ----------------------------------------------------------------------------------------

def sample_batch(rng, hp):
    points = np.empty((hp["batch"], hp["n_points"], 3), dtype=np.float32)
    label = np.zeros(hp["batch"], dtype=np.int64)
    for i in range(hp["batch"]):
        label[i] = rng.integers(len(SHAPES))
        u = rng.normal(size=(hp["n_points"], 3))
        if SHAPES[int(label[i])] == "ball":
            u = u / np.linalg.norm(u, axis=1, keepdims=True)
        elif SHAPES[int(label[i])] == "box":
            u = u / np.abs(u).max(axis=1, keepdims=True)
        else:
            t = rng.uniform(-3, 3, size=hp["n_points"])
            u = np.stack([np.cos(t), np.sin(t), t / 3], axis=1) + 0.05 * u
        points[i] = u
    return {"points": torch.from_numpy(points), "label": torch.from_numpy(label)}


def run(hp, n_steps=15):
    gen, rng = torch.Generator().manual_seed(0), np.random.default_rng(0)
    params = init_params(gen, hp)
    state = {"m": tree_map(torch.zeros_like, params), "v": tree_map(torch.zeros_like, params)}
    for step in range(1, n_steps + 1):
        loss, hits, grads = value_and_grad(params, sample_batch(rng, hp), hp)
        params, state = adam(params, grads, state, step, hp)
        if step % 5 == 0:
            print(f"step {step}: loss {loss:.3f} right {hits:.2f}")
    return params


run(HP)
