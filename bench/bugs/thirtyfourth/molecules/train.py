import numpy as np
import torch
import torch.nn.functional as F

from model import MoleculeNet

CFG = {
    "dim": 32,
    "max_z": 20,
    "n_rbf": 16,
    "cutoff": 5.0,
    "layers": 2,
    "heads": 4,
    "n_tox": 3,
    "n_scaffold": 6,
}
WEIGHTS = {"energy": 1.0, "toxic": 0.5, "scaffold": 0.5, "dipole": 0.1}


def make_molecule(rng):
    n = int(rng.integers(4, 9))
    return {
        "z": rng.choice([1, 6, 7, 8, 16], size=n),
        "pos": rng.normal(size=(n, 3)).astype(np.float32) * 2,
        "energy": np.float32(rng.normal()),
        "toxic": rng.integers(0, 2, size=CFG["n_tox"]),
        "scaffold": int(rng.integers(CFG["n_scaffold"])),
        "dipole": rng.normal(size=3).astype(np.float32),
    }


def radius_edges(pos, cutoff):
    d = torch.cdist(pos, pos)
    near = (d < cutoff) & ~torch.eye(len(pos), dtype=torch.bool)
    return near.nonzero().t()


def collate(mols):
    zs, poss, edges, batch = [], [], [], []
    offset = 0
    for i, m in enumerate(mols):
        pos = torch.from_numpy(m["pos"])
        zs.append(torch.from_numpy(m["z"]))
        poss.append(pos)
        edges.append(radius_edges(pos, CFG["cutoff"]) + offset)
        batch.append(torch.full((len(pos),), i))
        offset += len(pos)
    graph = {
        "z": torch.cat(zs),
        "pos": torch.cat(poss),
        "edge_index": torch.cat(edges, dim=1),
        "batch": torch.cat(batch),
    }
    target = {
        "energy": torch.tensor([m["energy"] for m in mols]),
        "toxic": torch.from_numpy(np.stack([m["toxic"] for m in mols])).float(),
        "scaffold": torch.tensor([m["scaffold"] for m in mols]),
        "dipole": torch.from_numpy(np.stack([m["dipole"] for m in mols])),
    }
    return graph, target


def compute_losses(out, target):
    losses = {
        "energy": F.smooth_l1_loss(out["energy"], target["energy"]),
        "toxic": F.binary_cross_entropy_with_logits(out["toxic"], target["toxic"]),
        "scaffold": F.cross_entropy(out["scaffold"], target["scaffold"]),
        "dipole": (out["dipole"] - target["dipole"]).pow(2).sum(-1).mean(),
    }
    total = sum(WEIGHTS[k] * v for k, v in losses.items())
    return total, losses


def evaluate(model, loader):
    model.eval()
    hits, errors = [], []
    with torch.no_grad():
        for graph, target in loader:
            out = model(**graph)
            hits.append((out["scaffold"].argmax(dim=-1) == target["scaffold"]).float())
            errors.append((out["energy"] - target["energy"]).abs())
    return torch.cat(hits).mean().item(), torch.cat(errors).mean().item()


def main():
    torch.manual_seed(3)
    rng = np.random.default_rng(3)
    mols = [make_molecule(rng) for _ in range(22)]
    loader = [collate(mols[i:i + 8]) for i in range(0, len(mols), 8)]

    model = MoleculeNet(CFG)
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    for epoch in range(2):
        model.train()
        seen = 0.0
        for graph, target in loader:
            out = model(graph["z"], graph["pos"], graph["edge_index"], graph["batch"])
            loss, parts = compute_losses(out, target)
            opt.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
            seen += loss.item()
        acc, mae = evaluate(model, loader)
        print(f"epoch {epoch} loss {seen / len(loader):.3f} acc {acc:.2f} mae {mae:.3f}")


if __name__ == "__main__":
    main()
