import torch
import torch.nn.functional as F

from net import KeypointNet, coord_grid

JOINTS = 9
SKELETON = [(0, 1), (1, 2), (2, 3), (3, 4), (1, 5), (5, 6), (6, 7), (7, 8)]
FLIP = [0, 1, 5, 6, 7, 2, 3, 4, 8]
SIZE = 64
STRIDE = 2


def make_targets(joints, h, w, sigma=1.5):
    """joints (B, K, 2) in map pixels -> gaussians (B, K, h, w), offsets (B, K, 2, h, w), near (B, K, h, w)."""
    grid = coord_grid(h, w)
    diff = joints[:, :, None, None, :] - grid
    dist = (diff ** 2).sum(dim=-1)
    heat = torch.exp(-dist / (2 * sigma ** 2))
    near = dist < 9.0
    return heat, diff.permute(0, 1, 4, 2, 3), near


def focal_loss(pred, target, alpha=2.0, beta=4.0):
    p = pred.sigmoid().clamp(1e-4, 1 - 1e-4)
    pos = target.ge(0.9)
    pos_loss = -((1 - p) ** alpha * p.log())[pos].sum()
    neg_loss = -((1 - target) ** beta * p ** alpha * (1 - p).log())[~pos].sum()
    return (pos_loss + neg_loss) / pos.sum().clamp(min=1)


def offset_loss(pred, target, near):
    weight = near.unsqueeze(2).float()
    loss = F.smooth_l1_loss(pred, target, reduction="none") * weight
    return loss.sum() / weight.sum().clamp(min=1)


def bone_loss(xy, joints):
    a, b = torch.tensor(SKELETON).t()
    pred = (xy[:, a] - xy[:, b]).norm(dim=-1)
    true = (joints[:, a] - joints[:, b]).norm(dim=-1)
    return F.l1_loss(pred, true)


def coord_loss(xy, joints, visible):
    err = (xy - joints).abs().sum(dim=-1)
    return (err * visible).sum() / visible.sum().clamp(min=1)


def flip_batch(images, joints, visible):
    images = images.flip(-1)
    width = images.shape[-1] // STRIDE
    joints = joints.clone()
    joints[..., 0] = width - 1 - joints[..., 0]
    return images, joints[:, FLIP], visible[:, FLIP]


def pck(pred, joints, visible, threshold=3.0):
    dist = torch.linalg.norm(pred - joints, dim=-1)
    hit = (dist < threshold) & visible.bool()
    return hit.sum() / visible.sum()


def fake_batch(n):
    images = torch.rand(n, 3, SIZE, SIZE)
    joints = torch.rand(n, JOINTS, 2) * (SIZE // STRIDE - 1)
    visible = (torch.rand(n, JOINTS) > 0.2).float()
    return images, joints, visible


def main():
    torch.manual_seed(0)
    model = KeypointNet(JOINTS)
    opt = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    for step in range(2):
        images, joints, visible = fake_batch(2)
        if step % 2 == 1:
            images, joints, visible = flip_batch(images, joints, visible)
        out = model(images)
        heat, offset, near = make_targets(joints, *out["heat"].shape[-2:])
        heat = heat * visible[:, :, None, None]
        near = near & visible.bool()[:, :, None, None]
        loss = (
            focal_loss(out["heat"], heat)
            + 0.5 * offset_loss(out["offset"], offset, near)
            + 0.1 * coord_loss(out["xy"], joints, visible)
            + 0.1 * bone_loss(out["xy"], joints)
            + F.binary_cross_entropy_with_logits(out["visible"], visible)
        )
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())

    model.eval()
    images, joints, visible = fake_batch(2)
    with torch.no_grad():
        out = model(images)
    points, scores = model.decode(out)
    print("pck", pck(points, joints, visible).item(), "mean score", scores.mean().item())


if __name__ == "__main__":
    main()
