import torch
import torch.nn.functional as F

from slowfast.config import tiny
from slowfast.model import SlowFast

MEAN = [0.45, 0.45, 0.45]
STD = [0.225, 0.225, 0.225]


def normalize(clip):
    mean = torch.tensor(MEAN).view(1, 3, 1, 1, 1)
    std = torch.tensor(STD).view(1, 3, 1, 1, 1)
    return (clip - mean) / std


def random_batch(cfg):
    video = torch.randint(0, 256, (cfg.batch_size, cfg.frames, cfg.size, cfg.size, 3), dtype=torch.uint8)
    clip = video.permute(0, 4, 1, 2, 3).float() / 255.0
    labels = torch.randint(0, cfg.num_classes, (cfg.batch_size,))
    return normalize(clip), labels


def mixup(clip, labels, num_classes, alpha=0.4):
    lam = torch.distributions.Beta(alpha, alpha).sample((clip.size(0),))
    perm = torch.randperm(clip.size(0))
    onehot = F.one_hot(labels, num_classes).float()
    lam_x = lam.view(-1, 1, 1, 1, 1)
    lam_y = lam.view(-1, 1)
    mixed = lam_x * clip + (1 - lam_x) * clip[perm]
    target = lam_y * onehot + (1 - lam_y) * onehot[perm]
    return mixed, target


def accuracy(logits, labels, k=3):
    top = logits.topk(k, dim=1).indices
    return (top == labels.unsqueeze(1)).any(dim=1).float().mean()


def entropy(weights):
    return -(weights * weights.clamp_min(1e-8).log()).sum(dim=-1).mean()


def main():
    torch.manual_seed(0)
    cfg = tiny()
    model = SlowFast(cfg)
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=0.05)

    model.train()
    for step in range(cfg.steps):
        clip, labels = random_batch(cfg)
        mixed, target = mixup(clip, labels, cfg.num_classes)
        logits, weights = model(mixed)
        loss = F.cross_entropy(logits, target, label_smoothing=cfg.label_smoothing)
        loss = loss - 0.01 * entropy(weights)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step} loss {loss.item():.4f}")

    model.eval()
    with torch.no_grad():
        clip, labels = random_batch(cfg)
        # two temporal views of each clip, averaged
        views = torch.stack([clip, clip.flip(2)], dim=1)
        b, v = views.shape[:2]
        logits, weights = model(views.flatten(0, 1))
        probs = logits.softmax(dim=-1).view(b, v, -1).mean(dim=1)
        confusion = torch.zeros(cfg.num_classes, cfg.num_classes)
        confusion.index_add_(0, labels, probs)
        print("top-3", accuracy(probs, labels).item())
        print("frame weights", weights.view(b, v, cfg.slow_frames).mean(dim=(0, 1)))


if __name__ == "__main__":
    main()
