import torch
import torch.nn as nn


class DistanceBias(nn.Module):
    """Gaussian basis of the interatomic distance -> one bias per head."""

    def __init__(self, n_heads, n_basis=8, cutoff=5.0):
        super().__init__()
        self.register_buffer("centers", torch.linspace(0.0, cutoff, n_basis))
        self.width = cutoff / n_basis
        self.proj = nn.Linear(n_basis, n_heads)

    def forward(self, coords):
        dist = torch.cdist(coords, coords)
        basis = torch.exp(-((dist[..., None] - self.centers) / self.width) ** 2)
        return self.proj(basis).permute(0, 3, 1, 2)


class GraphAttention(nn.Module):
    def __init__(self, dim, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.scaling = (dim // n_heads) ** -0.5
        self.in_proj = nn.Linear(dim, dim * 3)
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, atoms, attn_bias):
        n_mol, n_atom, dim = atoms.shape
        qkv = self.in_proj(atoms).reshape(n_mol, n_atom, 3, self.n_heads, -1)
        query, key, value = qkv.permute(2, 0, 3, 1, 4).unbind(0)

        query = query * self.scaling
        attn_weights = torch.matmul(query, key.mT)
        attn_weights = attn_weights + attn_bias
        attn_probs = attn_weights.softmax(-1)
        attn = torch.matmul(attn_probs, value)

        attn = attn.transpose(1, 2).reshape(n_mol, n_atom, dim)
        return self.out_proj(attn)


class GraphormerLayer(nn.Module):
    def __init__(self, dim, n_heads):
        super().__init__()
        self.attention = GraphAttention(dim, n_heads)
        self.attention_norm = nn.LayerNorm(dim)
        self.ffn = nn.Sequential(nn.Linear(dim, 2 * dim), nn.SiLU(), nn.Linear(2 * dim, dim))
        self.ffn_norm = nn.LayerNorm(dim)

    def forward(self, atoms, attn_bias):
        atoms = self.attention_norm(atoms + self.attention(atoms, attn_bias))
        return self.ffn_norm(atoms + self.ffn(atoms))


class EnergyModel(nn.Module):
    def __init__(self, n_elements=10, dim=32, n_heads=4, n_layers=2):
        super().__init__()
        self.atom_embedding = nn.Embedding(n_elements, dim)
        self.bias = DistanceBias(n_heads)
        self.layers = nn.ModuleList()
        for _ in range(n_layers):
            self.layers.append(GraphormerLayer(dim, n_heads))
        self.energy = nn.Linear(dim, 1)

    def forward(self, species, coords):
        atoms = self.atom_embedding(species)
        attn_bias = self.bias(coords)
        for layer in self.layers:
            atoms = layer(atoms, attn_bias)
        return self.energy(atoms).sum(dim=(1, 2))


EnergyModel()(torch.randint(0, 10, (3, 6)), torch.randn(3, 6, 3))
