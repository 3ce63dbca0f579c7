# lanes + drivable area + weather of a dash cam frame: shared encoder, U-Net decoder, two dense heads, one class head
import torch
import torch.nn as nn
import torch.nn.functional as F

CFG = {"lr": 3e-4, "bs": 2, "size": (96, 160), "base": 16, "lane_classes": 5, "weather": 4}


def conv_block(cin, cout, k=3):
    return nn.Sequential(
        nn.Conv2d(cin, cout, k, padding=k // 2, bias=False),
        nn.GroupNorm(8, cout),
        nn.SiLU(),
        nn.Conv2d(cout, cout, k, padding=k // 2, bias=False),
        nn.GroupNorm(8, cout),
        nn.SiLU(),
    )


class Up(nn.Module):
    def __init__(self, cin, skip, cout):
        super().__init__()
        self.up = nn.ConvTranspose2d(cin, cout, kernel_size=4, stride=2, padding=1)
        self.conv = conv_block(cout + skip, cout)

    def forward(self, x, skip):
        x = self.up(x)
        return self.conv(torch.cat([x, skip], dim=1))


class LaneNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        c = cfg["base"]
        self.enc1 = conv_block(3, c)
        self.enc2 = conv_block(c, 2 * c)
        self.enc3 = conv_block(2 * c, 4 * c)
        self.bottleneck = conv_block(4 * c, 8 * c)
        self.pool = nn.MaxPool2d(2)
        self.up3 = Up(8 * c, 4 * c, 4 * c)
        self.up2 = Up(4 * c, 2 * c, 2 * c)
        self.up1 = Up(2 * c, c, c)
        self.lane_head = nn.Conv2d(c, cfg["lane_classes"], 1)
        self.drive_head = nn.Conv2d(c, 1, 1)
        self.weather_head = nn.Sequential(nn.Linear(8 * c, 64), nn.ReLU(), nn.Linear(64, cfg["weather"]))

    def forward(self, img):
        s1 = self.enc1(img)
        s2 = self.enc2(self.pool(s1))
        s3 = self.enc3(self.pool(s2))
        b = self.bottleneck(self.pool(s3))
        d = self.up1(self.up2(self.up3(b, s3), s2), s1)
        pooled = b.mean(dim=(2, 3))
        return {"lanes": self.lane_head(d), "drivable": self.drive_head(d), "weather": self.weather_head(pooled)}


def multitask_loss(out, batch, weights=(1.0, 0.5, 0.2)):
    lane = F.cross_entropy(out["lanes"], batch["lanes"], ignore_index=255)
    drive = F.binary_cross_entropy_with_logits(out["drivable"], batch["drivable"])
    weather = F.cross_entropy(out["weather"], batch["weather"])
    return weights[0] * lane + weights[1] * drive + weights[2] * weather


def fake_batch(cfg):
    h, w = cfg["size"]
    return {
        "image": torch.rand(cfg["bs"], 3, h, w),
        "lanes": torch.randint(0, cfg["lane_classes"], (cfg["bs"], h, w)),
        "drivable": torch.randint(0, 2, (cfg["bs"], 1, h, w)).float(),
        "weather": torch.randint(0, cfg["weather"], (cfg["bs"],)),
    }


def main():
    model = LaneNet(CFG)
    opt = torch.optim.AdamW(model.parameters(), lr=CFG["lr"])
    for step in range(2):
        batch = fake_batch(CFG)
        out = model(batch["image"])
        loss = multitask_loss(out, batch)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
