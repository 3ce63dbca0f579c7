"""A small vision transformer for satellite pictures of clouds."""

import torch
import torch.nn as nn


class PatchEmbed(nn.Module):
    def __init__(self, patch_size, in_chans, embed_dim):
        super().__init__()
        self.proj = nn.Conv2d(in_chans, embed_dim, kernel_size=patch_size, stride=patch_size)

    def forward(self, x):
        return self.proj(x).flatten(2).transpose(1, 2)


class CloudViT(nn.Module):
    def __init__(self, img_size=32, patch_size=8, in_chans=4, num_classes=6, embed_dim=48, depth=2, num_heads=4):
        super().__init__()
        num_patches = (img_size // patch_size) ** 2
        self.patch_embed = PatchEmbed(patch_size, in_chans, embed_dim)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, embed_dim))
        self.pos_embed = nn.Parameter(0.02 * torch.randn(1, num_patches + 1, embed_dim))
        self.blocks = nn.Sequential(
            *[
                nn.TransformerEncoderLayer(embed_dim, num_heads, 96, 0.1, "gelu", batch_first=True, norm_first=True)
                for _ in range(depth)
            ]
        )
        self.norm = nn.LayerNorm(embed_dim)
        self.pre_logits = nn.Identity()
        self.head = nn.Linear(embed_dim, num_classes)

    def forward_features(self, x):
        x = self.patch_embed(x)
        cls_token = self.cls_token.expand(x.shape[0], -1, -1)
        x = torch.cat((cls_token, x), dim=1)
        x = self.blocks(x + self.pos_embed)
        x = self.norm(x)
        return self.pre_logits(x[:, 0])

    def forward(self, x):
        x = self.forward_features(x)
        return self.head(x)


if __name__ == "__main__":
    torch.manual_seed(0)
    model = CloudViT()
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.05)
    images = torch.randn(8, 4, 32, 32)
    kinds = torch.randint(0, 6, (8,))
    for epoch in range(3):
        optimizer.zero_grad()
        loss = criterion(model(images), kinds)
        loss.backward()
        optimizer.step()
        print("epoch", epoch, "loss", round(loss.item(), 4))
