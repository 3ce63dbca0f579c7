# Link prediction on a knowledge graph (ConvE + a TransE margin term).
# Ported from our old TF1 code: variables live in a dict, ops are functions.
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

CONFIG = {
    "n_entities": 60,
    "n_relations": 7,
    "n_attributes": 5,
    "dim": 32,
    "height": 8,
    "width": 4,
    "filters": 12,
    "kernel": 3,
    "batch": 16,
    "negatives": 6,
    "margin": 1.0,
    "smoothing": 0.1,
    "lr": 3e-3,
}


# ---------------------------------------------------------------- data
def make_graph(cfg, n_triples=200, seed=3):
    rng = np.random.RandomState(seed)
    heads = rng.randint(0, cfg["n_entities"], n_triples)
    rels = rng.randint(0, cfg["n_relations"], n_triples)
    tails = (heads + 3 * rels + 1) % cfg["n_entities"]
    triples = np.stack([heads, rels, tails], axis=1)
    attributes = rng.normal(size=(cfg["n_entities"], cfg["n_attributes"])).astype(np.float32)
    return torch.from_numpy(triples), torch.from_numpy(attributes)


def known_tails(triples, n_entities):
    """[n, E] bools: every entity that is a true tail of the triple's head and relation."""
    same = (triples[:, None, :2] == triples[None, :, :2]).all(dim=-1)
    tails = F.one_hot(triples[:, 2], n_entities)
    return (same.float() @ tails.float()) > 0


def batches(triples, known, size):
    order = torch.randperm(len(triples))
    for start in range(0, len(order) - size + 1, size):
        rows = order[start:start + size]
        yield triples[rows], known[rows]


# ---------------------------------------------------------------- variables
def glorot(*shape):
    w = torch.empty(*shape)
    nn.init.xavier_uniform_(w)
    return w.requires_grad_()


def zeros(*shape):
    return torch.zeros(*shape, requires_grad=True)


def init_params(cfg):
    flat = cfg["filters"] * 2 * cfg["height"] * cfg["width"]
    return {
        "ent": glorot(cfg["n_entities"], cfg["dim"]),
        "rel": glorot(cfg["n_relations"], cfg["dim"]),
        "attr_k": glorot(cfg["n_attributes"], cfg["dim"]),
        "conv_k": glorot(cfg["filters"], 1, cfg["kernel"], cfg["kernel"]),
        "conv_b": zeros(cfg["filters"]),
        "fc_k": glorot(flat, cfg["dim"]),
        "fc_b": zeros(cfg["dim"]),
        "out_b": zeros(cfg["n_entities"]),
    }


def init_layers(cfg):
    return nn.ModuleDict({
        "bn_in": nn.BatchNorm2d(1),
        "bn_conv": nn.BatchNorm2d(cfg["filters"]),
        "bn_fc": nn.BatchNorm1d(cfg["dim"]),
        "drop_map": nn.Dropout2d(0.2),
        "drop_fc": nn.Dropout(0.3),
    })


# ---------------------------------------------------------------- graph
def entity_table(params, attributes):
    return params["ent"] + torch.tanh(attributes @ params["attr_k"])


def conve(params, layers, cfg, table, heads, rels):
    """Scores of all entities as tails, [b, E]."""
    h = F.embedding(heads, table)
    r = F.embedding(rels, params["rel"])
    h = h.view(-1, 1, cfg["height"], cfg["width"])
    r = r.view(-1, 1, cfg["height"], cfg["width"])
    x = layers["bn_in"](torch.cat([h, r], dim=2))
    x = F.conv2d(x, params["conv_k"], params["conv_b"], padding=cfg["kernel"] // 2)
    x = layers["drop_map"](F.relu(layers["bn_conv"](x)))
    x = x.flatten(1)
    x = x @ params["fc_k"] + params["fc_b"]
    x = F.relu(layers["bn_fc"](layers["drop_fc"](x)))
    return x @ table.t() + params["out_b"]


def transe(params, table, heads, rels, tails):
    """Distances of [b, k] tails to head + relation."""
    h = table[heads]
    r = params["rel"][rels]
    t = table[tails]
    return ((h + r).unsqueeze(1) - t).norm(p=1, dim=-1)


def loss_fn(params, layers, cfg, attributes, batch, known):
    heads, rels, tails = batch.unbind(dim=1)
    table = entity_table(params, attributes)
    logits = conve(params, layers, cfg, table, heads, rels)
    labels = known.float()
    labels = (1 - cfg["smoothing"]) * labels + cfg["smoothing"] / cfg["n_entities"]
    bce = F.binary_cross_entropy_with_logits(logits, labels)

    fake = torch.randint(0, cfg["n_entities"], (len(batch), cfg["negatives"]))
    near = transe(params, table, heads, rels, tails.unsqueeze(1))
    far = transe(params, table, heads, rels, fake)
    margin = F.relu(cfg["margin"] + near - far).mean()
    return bce + 0.1 * margin


@torch.no_grad()
def evaluate(params, layers, cfg, attributes, triples, known, size=25):
    layers.eval()
    table = entity_table(params, attributes)
    ranks = []
    for start in range(0, len(triples), size):
        heads, rels, tails = triples[start:start + size].unbind(dim=1)
        others = known[start:start + size].clone()
        others[torch.arange(len(tails)), tails] = False
        scores = conve(params, layers, cfg, table, heads, rels)
        scores[others] = -1e9
        target = scores.gather(1, tails.unsqueeze(1))
        ranks.append((scores > target).sum(dim=1) + 1)
    ranks = torch.cat(ranks).float()
    return {"mrr": (1 / ranks).mean().item(), "hits@10": (ranks <= 10).float().mean().item()}


def main():
    torch.manual_seed(0)
    triples, attributes = make_graph(CONFIG)
    known = known_tails(triples, CONFIG["n_entities"])
    train, test = triples[:150], triples[150:]
    params = init_params(CONFIG)
    layers = init_layers(CONFIG)
    opt = torch.optim.Adam(list(params.values()) + list(layers.parameters()), lr=CONFIG["lr"])
    for step, (batch, labels) in enumerate(batches(train, known[:150], CONFIG["batch"])):
        opt.zero_grad()
        loss = loss_fn(params, layers, CONFIG, attributes, batch, labels)
        loss.backward()
        opt.step()
        print(step, round(loss.item(), 4))
        if step == 1:
            break
    print(evaluate(params, layers, CONFIG, attributes, test, known[150:]))


main()
