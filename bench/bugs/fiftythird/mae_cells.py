# %% [markdown]
# # A masked autoencoder in a few cells
# Three of four patches are hidden; the encoder sees the others, and the
# decoder paints what was hidden.

# %%
import torch
import torch.nn as nn
import torch.nn.functional as F
from einops import rearrange

torch.manual_seed(0)

IMAGE, PATCH, BATCH = 32, 4, 9
GRID = IMAGE // PATCH
ENC, DEC, HEADS = 48, 32, 4
KEEP = GRID * GRID // 4

# %% [markdown]
# ## Pictures: soft coloured stripes


# %%
def stripes(n):
    angle = torch.rand(n, 1, 1) * 3.14
    tone = torch.rand(n, 3, 1, 1)
    line = torch.linspace(-3, 3, IMAGE)
    wave = torch.sin(4 * (line[None, :, None] * angle.cos() + line[None, None, :] * angle.sin()))
    return (0.5 + 0.5 * wave).unsqueeze(1) * tone


def patchify(pictures):
    return rearrange(pictures, "b c (h p) (w q) -> b (h w) (p q c)", p=PATCH, q=PATCH)


def unpatchify(patches):
    return rearrange(patches, "b (h w) (p q c) -> b c (h p) (w q)", h=GRID, p=PATCH, q=PATCH)


# %% [markdown]
# ## The transformer's block


# %%
class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x):
        B, N, C = x.shape
        qkv = self.qkv(self.norm1(x)).reshape(B, N, 3, self.heads, C // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v)
        x = x + self.proj(y.transpose(1, 2).reshape(B, N, C))
        return x + self.mlp(self.norm2(x))


# %%
class MaskedAutoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        n = GRID * GRID
        self.embed = nn.Linear(3 * PATCH * PATCH, ENC)
        self.place = nn.Parameter(torch.randn(1, n, ENC) * 0.02)
        self.encoder = nn.Sequential(*[Block(ENC, HEADS) for _ in range(2)])
        self.bridge = nn.Linear(ENC, DEC)
        self.hidden_token = nn.Parameter(torch.zeros(1, 1, DEC))
        self.dec_place = nn.Parameter(torch.randn(1, n, DEC) * 0.02)
        self.decoder = Block(DEC, HEADS)
        self.paint = nn.Linear(DEC, 3 * PATCH * PATCH)

    @staticmethod
    def shuffle(x):
        """The patches that stay, and the order that puts all of them back."""
        order = torch.rand(x.size(0), x.size(1), device=x.device).argsort(dim=1)
        back = order.argsort(dim=1)
        stay = order[:, :KEEP]
        seen = x.gather(1, stay.unsqueeze(-1).expand(-1, -1, x.size(-1)))
        return seen, back

    def forward(self, patches):
        B, N, _ = patches.shape
        x, back = self.shuffle(self.embed(patches) + self.place)
        x = self.bridge(self.encoder(x))
        holes = self.hidden_token.expand(B, N - KEEP, -1)
        x = torch.cat([x, holes], dim=1)
        x = torch.take_along_dim(x, back.unsqueeze(-1), dim=1)
        x = self.decoder(x + self.dec_place)
        return self.paint(x), (back >= KEEP).float()


# %% [markdown]
# ## Training: only hidden patches count

# %%
model = MaskedAutoencoder()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

for step in range(9):
    target = patchify(stripes(BATCH))
    pred, hidden = model(target)
    error = (pred - target).pow(2).mean(dim=-1)
    loss = (error * hidden).sum() / hidden.sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 4 == 0:
        print(f"{step:3d}  {loss.item():.4f}")

# %% [markdown]
# ## A sheet of nine pictures

# %%
with torch.no_grad():
    pictures = stripes(BATCH)
    painted, _ = model(patchify(pictures))
    sheet = rearrange(unpatchify(painted), "(r s) c h w -> (r h) (s w) c", r=3)
    print(sheet.shape, sheet.mean().item())
