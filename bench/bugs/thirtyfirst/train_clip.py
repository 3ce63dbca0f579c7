import torch
from clip import CLIP, ImageEncoder, TextEncoder
from clip.model import clip_loss

model = CLIP(ImageEncoder(), TextEncoder())
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for step in range(3):
    images = torch.randn(8, 3, 64, 64)
    tokens = torch.randint(0, 1000, (8, 24))
    logits = model(images, tokens)
    loss = clip_loss(logits)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
