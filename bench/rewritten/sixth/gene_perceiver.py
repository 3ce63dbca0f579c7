import torch
from einops import rearrange
from torch import einsum, nn

# a few latents look at very many genes


class LatentRead(nn.Module):
    def __init__(self, dim, ctx_dim, heads=4, dim_head=16):
        super().__init__()
        inner = heads * dim_head
        self.heads = heads
        self.scale = dim_head ** -0.5
        self.norm = nn.LayerNorm(dim)
        self.norm_context = nn.LayerNorm(ctx_dim)
        self.to_q = nn.Linear(dim, inner, bias=False)
        self.to_kv = nn.Linear(ctx_dim, inner * 2, bias=False)
        self.to_out = nn.Linear(inner, dim)

    def forward(self, x, context):
        h = self.heads
        q = self.to_q(self.norm(x))
        k, v = self.to_kv(self.norm_context(context)).chunk(2, dim=-1)
        q, k, v = map(lambda t: rearrange(t, "b n (h d) -> b h n d", h=h), (q, k, v))

        sim = einsum("b h i d, b h j d -> b h i j", q, k) * self.scale
        sim = sim - sim.amax(dim=-1, keepdim=True).detach()
        attn = sim.softmax(dim=-1)

        out = einsum("b h i j, b h j d -> b h i d", attn, v)
        out = rearrange(out, "b h n d -> b n (h d)")
        return x + self.to_out(out)


class GenePerceiver(nn.Module):
    def __init__(self, genes, latents=8, dim=32):
        super().__init__()
        self.latents = nn.Parameter(torch.randn(latents, dim) * 0.02)
        self.gene = nn.Embedding(genes, dim - 1)
        self.read = LatentRead(dim, dim)
        self.head = nn.Linear(dim, 3)

    def forward(self, ids, level):
        tokens = torch.cat([self.gene(ids), level.unsqueeze(-1)], dim=-1)
        x = self.latents.expand(ids.shape[0], -1, -1)
        x = self.read(x, tokens)
        return self.head(x.mean(dim=1))


if __name__ == "__main__":
    torch.manual_seed(0)
    net = GenePerceiver(genes=200)
    ids = torch.randint(0, 200, (4, 60))
    level = torch.rand(4, 60)
    print(net(ids, level).softmax(dim=-1))
