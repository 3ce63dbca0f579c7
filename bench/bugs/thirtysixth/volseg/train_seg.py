import numpy as np
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from network import DeepUNet3D
from volumes import PatchDataset, make_case, sliding_window

N_CLASSES = 3
PATCH = (16, 16, 16)
CLASS_WEIGHTS = torch.tensor([0.2, 1.0, 1.5])

def dice_loss(logits, target, eps=1e-5):
    prob = logits.softmax(dim=1)
    onehot = F.one_hot(target, N_CLASSES).permute(0, 4, 1, 2, 3).float()
    inter = (prob * onehot).sum(dim=(2, 3, 4))
    denom = prob.sum(dim=(2, 3, 4)) + onehot.sum(dim=(2, 3, 4))
    dice = (2 * inter + eps) / (denom + eps)
    return 1 - dice[:, 1:].mean()

def shrink(target, size):
    small = F.interpolate(target.unsqueeze(1).float(), size=size, mode="nearest")
    return small.squeeze(1).long()

def deep_supervision_loss(outputs, target):
    total, norm = 0.0, 0.0
    for level, logits in enumerate(outputs):
        goal = target if level == 0 else shrink(target, logits.shape[2:])
        ce = F.cross_entropy(logits, goal, weight=CLASS_WEIGHTS)
        w = 0.5 ** level
        total = total + w * (ce + dice_loss(logits, goal))
        norm += w
    return total / norm

def dice_per_organ(pred, label):
    scores = []
    for c in range(1, N_CLASSES):
        p, g = pred == c, label == c
        scores.append(2 * (p & g).sum() / (p.sum() + g.sum()).clamp(min=1))
    return torch.stack(scores)

if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.manual_seed(1); np.random.seed(1)
    model = DeepUNet3D(1, N_CLASSES)
    optim = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.99, nesterov=True)
    loader = DataLoader(PatchDataset([0, 1], PATCH), batch_size=2, shuffle=True)

    model.train()
    for it, batch in enumerate(loader):
        outputs = model(batch["image"])
        loss = deep_supervision_loss(outputs, batch["label"])
        optim.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 12)
        optim.step()
        print(f"it {it} loss {loss.item():.3f}")

    model.eval()
    image, label = make_case(99)
    probs = sliding_window(torch.from_numpy(image), model, PATCH, N_CLASSES)
    pred = probs.argmax(dim=0)
    print("dice", dice_per_organ(pred, torch.from_numpy(label)).tolist())
