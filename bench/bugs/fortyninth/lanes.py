# Row-anchor lane detection (UFLD-style), single file so it pastes into a notebook.
# v7: structural loss + aux seg head + hflip TTA
import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class CFG:
    seed = 42
    img_h, img_w = 64, 128
    rows = 12          # row anchors
    grid = 20          # cells per row (last extra class = no lane)
    lanes = 4
    width = 8
    bs = 4
    n_train, n_valid = 8, 4
    lr = 2e-3
    aux_w = 0.5
    shape_w = 0.1
    tta = True


def seed_everything(seed):
    random.seed(seed)
    torch.manual_seed(seed)


seed_everything(CFG.seed)
ROW_Y = torch.linspace(CFG.img_h * 0.4, CFG.img_h - 1, CFG.rows).long()


# ---------------------------------------------------------------- data
class RoadDataset(Dataset):
    def __init__(self, n, train=True):
        self.n = n
        self.train = train

    def __len__(self):
        return self.n

    def draw(self, rng):
        img = torch.full((CFG.img_h, CFG.img_w, 3), 0.35) + 0.03 * torch.randn(CFG.img_h, CFG.img_w, 3)
        seg = torch.zeros(CFG.img_h, CFG.img_w, dtype=torch.long)
        cls = torch.full((CFG.rows, CFG.lanes), CFG.grid)
        vanish = CFG.img_w / 2 + rng.uniform(-15, 15)
        for lane in range(CFG.lanes):
            if rng.random() < 0.2:
                continue
            foot = CFG.img_w * (lane + 0.5) / CFG.lanes + rng.uniform(-8, 8)
            for r, y in enumerate(ROW_Y.tolist()):
                t = (y - ROW_Y[0].item()) / (CFG.img_h - ROW_Y[0].item())
                x = int(vanish + (foot - vanish) * t)
                if 0 <= x < CFG.img_w:
                    img[y, max(x - 1, 0):x + 2] = 0.95
                    seg[y, max(x - 1, 0):x + 2] = lane + 1
                    cls[r, lane] = x * CFG.grid // CFG.img_w
        return img, seg, cls

    def __getitem__(self, i):
        rng = random.Random(i if self.train else 1000 + i)
        img, seg, cls = self.draw(rng)
        img = img.permute(2, 0, 1)
        if self.train and rng.random() < 0.5:
            img, seg = img.flip(2), seg.flip(1)
            cls = cls.flip(1)
            cls = torch.where(cls == CFG.grid, cls, CFG.grid - 1 - cls)
        return img, seg, cls


# ---------------------------------------------------------------- model
class BasicBlock(nn.Module):
    def __init__(self, cin, cout, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(cin, cout, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(cout)
        self.conv2 = nn.Conv2d(cout, cout, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(cout)
        self.down = None
        if stride != 1 or cin != cout:
            self.down = nn.Sequential(nn.Conv2d(cin, cout, 1, stride, bias=False), nn.BatchNorm2d(cout))

    def forward(self, x):
        skip = x if self.down is None else self.down(x)
        x = F.relu(self.bn1(self.conv1(x)))
        x = self.bn2(self.conv2(x))
        return F.relu(x + skip)


class Backbone(nn.Module):
    def __init__(self, w=CFG.width):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, w, 7, 2, 3, bias=False), nn.BatchNorm2d(w), nn.ReLU())
        self.pool = nn.MaxPool2d(3, 2, 1)
        self.layer1 = nn.Sequential(BasicBlock(w, w), BasicBlock(w, w))
        self.layer2 = nn.Sequential(BasicBlock(w, w * 2, 2), BasicBlock(w * 2, w * 2))
        self.layer3 = nn.Sequential(BasicBlock(w * 2, w * 4, 2), BasicBlock(w * 4, w * 4))

    def forward(self, x):
        x = self.pool(self.stem(x))
        f1 = self.layer1(x)
        f2 = self.layer2(f1)
        f3 = self.layer3(f2)
        return f1, f2, f3


class AuxHead(nn.Module):
    def __init__(self, w=CFG.width):
        super().__init__()
        self.lat1 = nn.Conv2d(w, w, 1)
        self.lat2 = nn.Conv2d(w * 2, w, 1)
        self.lat3 = nn.Conv2d(w * 4, w, 1)
        self.fuse = nn.Sequential(nn.Conv2d(w * 3, w * 2, 3, padding=1), nn.ReLU(), nn.Conv2d(w * 2, CFG.lanes + 1, 1))

    def forward(self, f1, f2, f3):
        up2 = F.interpolate(self.lat2(f2), scale_factor=2, mode='bilinear')
        up3 = F.interpolate(self.lat3(f3), scale_factor=4, mode='bilinear')
        x = torch.cat([self.lat1(f1), up2, up3], dim=1)
        return F.interpolate(self.fuse(x), size=(CFG.img_h, CFG.img_w), mode='bilinear')


class LaneNet(nn.Module):
    def __init__(self):
        super().__init__()
        w = CFG.width
        self.backbone = Backbone(w)
        self.aux = AuxHead(w)
        self.squeeze = nn.Conv2d(w * 4, 8, 1)
        feat = 8 * (CFG.img_h // 16) * (CFG.img_w // 16)
        self.cls = nn.Sequential(
            nn.Linear(feat, 128),
            nn.ReLU(),
            nn.Dropout(0.1),
            nn.Linear(128, (CFG.grid + 1) * CFG.rows * CFG.lanes),
        )

    def forward(self, x):
        f1, f2, f3 = self.backbone(x)
        z = self.squeeze(f3).flatten(1)
        out = self.cls(z).view(-1, CFG.grid + 1, CFG.rows, CFG.lanes)
        if self.training:
            return out, self.aux(f1, f2, f3)
        return out


# ---------------------------------------------------------------- losses / decode
def expected_cell(out):
    prob = out[:, :-1].softmax(1)
    cells = torch.arange(CFG.grid).view(1, -1, 1, 1)
    return (prob * cells).sum(1)                # (bs, rows, lanes)


def shape_loss(out):
    pos = expected_cell(out)
    d1 = pos[:, :-1] - pos[:, 1:]
    return (d1[:, :-1] - d1[:, 1:]).abs().mean()


def criterion(out, aux, cls, seg):
    loss = F.cross_entropy(out, cls)
    class_w = torch.tensor([0.2] + [1.0] * CFG.lanes)
    loss = loss + CFG.aux_w * F.cross_entropy(aux, seg, weight=class_w)
    return loss + CFG.shape_w * shape_loss(out)


def decode(out):
    pos = expected_cell(out)
    missing = out.argmax(1) == CFG.grid
    pos[missing] = -1
    return pos * CFG.img_w / CFG.grid


def predict(model, img):
    out = model(img).softmax(1)
    if CFG.tta:
        flipped = model(img.flip(3)).softmax(1).flip(3)
        cells = torch.cat([flipped[:, :-1].flip(1), flipped[:, -1:]], dim=1)
        out = (out + cells) / 2
    return out.log()


# ---------------------------------------------------------------- loops
def train_one_epoch(model, loader, opt):
    model.train()
    total = 0
    for img, seg, cls in loader:
        out, aux = model(img)
        loss = criterion(out, aux, cls, seg)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * img.size(0)
    return total / len(loader.dataset)


@torch.no_grad()
def validate(model, loader):
    model.eval()
    hit = n = 0
    for img, seg, cls in loader:
        x = decode(predict(model, img))
        truth = cls.float() * CFG.img_w / CFG.grid
        valid = cls != CFG.grid
        err = (x - truth).abs()[valid]
        hit += (err < 10).sum().item()
        n += valid.sum().item()
    return hit / max(n, 1)


def run():
    train_dl = DataLoader(RoadDataset(CFG.n_train), CFG.bs, shuffle=True)
    valid_dl = DataLoader(RoadDataset(CFG.n_valid, train=False), CFG.bs)
    model = LaneNet()
    opt = torch.optim.Adam(model.parameters(), CFG.lr)
    loss = train_one_epoch(model, train_dl, opt)
    acc = validate(model, valid_dl)
    print(f'loss {loss:.4f} acc {acc:.4f}')


run()
