"""Lesson 9: train the U-Net of lesson_unet.py on circles and squares.

What to try: other sizes, other depths, and the weights of the levels in SETTINGS.
"""
import torch
import torch.nn.functional as F

from lesson_unet import DeepUNet

SETTINGS = {
    "size": 48,
    "classes": ["background", "circle", "square"],
    "base": 8,
    "depth": 3,
    "level_weights": [0.2, 0.3, 1.0],
    "batch": 4,
    "steps": 2,
}


# ---------------------------------------------------------------- 1. the data

def draw(size):
    """One picture [3, size, size] of bytes, and its mask [size, size] of class numbers."""
    ys = torch.arange(size).view(size, 1)
    xs = torch.arange(size).view(1, size)
    mask = torch.zeros(size, size, dtype=torch.long)
    cy, cx = torch.randint(8, size - 8, (2,)).tolist()
    mask[(ys - cy) ** 2 + (xs - cx) ** 2 < 36] = 1
    y0, x0 = torch.randint(0, size - 10, (2,)).tolist()
    mask[y0:y0 + 10, x0:x0 + 10] = 2
    colors = torch.tensor([[20, 20, 20], [200, 40, 40], [40, 40, 200]])
    image = colors[mask].permute(2, 0, 1)
    noise = torch.randint(0, 30, image.shape)
    return image + noise, mask


def normalise(images):
    """Every channel gets mean 0 and standard deviation 1."""
    images = images.float()
    mean = images.mean(dim=(0, 2, 3), keepdim=True)
    std = images.std(dim=(0, 2, 3), keepdim=True)
    return (images - mean) / std


def make_batch(settings):
    pairs = [draw(settings["size"]) for _ in range(settings["batch"])]
    images = torch.stack([image for image, _ in pairs])
    masks = torch.stack([mask for _, mask in pairs])
    return normalise(images), masks


# ---------------------------------------------------------------- 2. the loss

def dice_loss(logits, mask):
    """1 - overlap, for each class, then the mean over the classes."""
    probs = logits.softmax(dim=1)
    target = F.one_hot(mask, logits.shape[1]).permute(0, 3, 1, 2).float()
    both = (probs * target).sum(dim=(0, 2, 3))
    total = (probs + target).sum(dim=(0, 2, 3))
    return 1 - (2 * both / (total + 1e-6)).mean()


def shrink(mask, size):
    """The mask for a coarser level: nearest, because class numbers have no mean."""
    small = F.interpolate(mask.unsqueeze(1).float(), size=size, mode="nearest")
    return small.squeeze(1).long()


def deep_loss(outputs, mask, level_weights):
    total = 0.0
    for weight, logits in zip(level_weights, outputs):
        level_mask = shrink(mask, logits.shape[-2:])
        ce = F.cross_entropy(logits, level_mask)
        total = total + weight * (ce + dice_loss(logits, level_mask))
    return total


# ---------------------------------------------------------------- 3. how good is it?

def iou_per_class(logits, mask, n_classes):
    pred = logits.argmax(dim=1)
    ious = []
    for c in range(n_classes):
        p, t = pred == c, mask == c
        inter = (p & t).sum()
        union = (p | t).sum()
        ious.append(inter / union.clamp(min=1))
    return torch.stack(ious)


def accuracy(logits, mask):
    return (logits.argmax(dim=1) == mask).float().mean()


# ---------------------------------------------------------------- 4. training

def train(settings):
    torch.manual_seed(0)
    n_classes = len(settings["classes"])
    net = DeepUNet(3, n_classes, settings["base"], settings["depth"])
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    for step in range(settings["steps"]):
        images, masks = make_batch(settings)
        outputs = net(images)
        loss = deep_loss(outputs, masks, settings["level_weights"])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step}: loss {loss.item():.3f}, accuracy {accuracy(outputs[-1], masks).item():.3f}")
    return net


def test(net, settings):
    """Average over a picture and its mirror image."""
    net.eval()
    images, masks = make_batch(settings)
    with torch.no_grad():
        plain = net(images)[-1]
        mirrored = net(images.flip(-1))[-1].flip(-1)
    logits = (plain + mirrored) / 2
    ious = iou_per_class(logits, masks, len(settings["classes"]))
    for name, iou in zip(settings["classes"], ious.tolist()):
        print(f"{name:12s} {iou:.3f}")


net = train(SETTINGS)
test(net, SETTINGS)
