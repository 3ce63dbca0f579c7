import torch
from torch import nn

# objects compete for the places of a picture: the weights of a place sum to one over the objects


class SlotAttention(nn.Module):
    def __init__(self, dim, slots=4, rounds=3):
        super().__init__()
        self.slots, self.rounds = slots, rounds
        self.scale = dim ** -0.5
        self.mu = nn.Parameter(torch.randn(1, 1, dim))
        self.norm_input = nn.LayerNorm(dim)
        self.norm_slots = nn.LayerNorm(dim)
        self.to_q = nn.Linear(dim, dim, bias=False)
        self.to_kv = nn.Linear(dim, 2 * dim, bias=False)
        self.gru = nn.GRUCell(dim, dim)

    def forward(self, inputs):
        b, _, d = inputs.shape
        k, v = self.to_kv(self.norm_input(inputs)).chunk(2, dim=-1)
        noise = torch.randn(b, self.slots, d, device=inputs.device)
        slots = self.mu + 0.1 * noise
        for _ in range(self.rounds):
            q = self.to_q(self.norm_slots(slots))
            dots = q @ k.transpose(1, 2) * self.scale
            attn = dots.softmax(dim=1)
            updates = attn @ v
            slots = self.gru(updates.flatten(0, 1), slots.flatten(0, 1)).unflatten(0, (b, self.slots))
        return slots


class SceneModel(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.places = nn.Sequential(nn.Conv2d(3, dim, 4, stride=4), nn.Flatten(2))
        self.slots = SlotAttention(dim)
        self.count = nn.Linear(dim, 1)

    def forward(self, picture):
        x = self.places(picture).transpose(1, 2)
        return torch.sigmoid(self.count(self.slots(x))).sum(dim=(1, 2))


if __name__ == "__main__":
    torch.manual_seed(4)
    model = SceneModel()
    opt = torch.optim.Adam(model.parameters(), lr=4e-3)
    pictures, objects = torch.rand(6, 3, 24, 24), torch.randint(1, 4, (6,)).float()
    for step in range(5):
        loss = (model(pictures) - objects).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    print("loss", loss.item())
