import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from pose_data import KEYPOINTS, LIMBS, StickFigures, collate
from pose_net import PoseNet

SIZE = 64


def heatmap_loss(logits, target, visible):
    loss = F.binary_cross_entropy_with_logits(logits, target, reduction="none")
    weight = visible.float()[:, :, None, None]
    return (loss * weight).sum() / weight.sum().clamp(min=1)


def point_loss(points, joints, visible):
    target = joints / (SIZE - 1) * 2 - 1
    distance = F.smooth_l1_loss(points, target, reduction="none").sum(dim=-1)
    return distance[visible].mean()


def limb_loss(points, joints):
    """Limbs should be as long as they really are."""
    pairs = torch.tensor(LIMBS)
    target = joints / (SIZE - 1) * 2 - 1
    lengths = (points[:, pairs[:, 0]] - points[:, pairs[:, 1]]).norm(dim=-1)
    wanted = (target[:, pairs[:, 0]] - target[:, pairs[:, 1]]).norm(dim=-1)
    return F.l1_loss(lengths, wanted)


@torch.no_grad()
def pck(points, joints, visible, threshold=6.0):
    pixels = (points + 1) / 2 * (SIZE - 1)
    close = torch.cdist(pixels, joints).diagonal(dim1=1, dim2=2) < threshold
    hit = close & visible
    return hit.sum(dim=0) / visible.sum(dim=0).clamp(min=1)


@torch.no_grad()
def overlay(images, logits):
    """The brightest heatmap laid over the image."""
    heat = logits.sigmoid().amax(dim=1, keepdim=True)
    heat = F.interpolate(heat, size=images.shape[-2:], mode="bilinear", align_corners=False)
    return 0.5 * images + 0.5 * heat


def main():
    torch.manual_seed(0)
    data = StickFigures(16, SIZE)
    loader = DataLoader(data, batch_size=4, shuffle=True, collate_fn=collate)
    model = PoseNet(len(KEYPOINTS))
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    for images, joints, visible, heat in loader:
        logits, coarse, fine = model(images)
        loss = heatmap_loss(logits, heat, visible)
        loss = loss + point_loss(coarse, joints, visible) + point_loss(fine, joints, visible)
        loss = loss + 0.1 * limb_loss(fine, joints)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scores = pck(fine, joints, visible)
        print(f"loss {loss.item():.3f}", dict(zip(KEYPOINTS, scores.tolist())))
    picture = overlay(images, logits)
    print("overlay", tuple(picture.shape))


if __name__ == "__main__":
    main()
