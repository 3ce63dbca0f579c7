import torch
from tinydiff import CONFIG, GaussianDiffusion, UNet

def fake_batch(cfg):
    size, n = cfg["image_size"], cfg["train"]["batch_size"]
    images = torch.rand(n, cfg["in_channels"], size, size) * 2 - 1
    return images, torch.randint(0, cfg["num_classes"], (n,))

if __name__ == "__main__":
    torch.manual_seed(0); torch.set_num_threads(1)
    model = UNet(CONFIG)
    diffusion = GaussianDiffusion(**CONFIG["diffusion"])
    opt = torch.optim.AdamW(model.parameters(), lr=CONFIG["train"]["lr"])

    for step in range(2):
        images, labels = fake_batch(CONFIG)
        drop = torch.rand(labels.shape[0]) < CONFIG["train"]["uncond_prob"]
        labels = labels.masked_fill(drop, model.null_class)
        loss = diffusion.loss(model, images, labels)
        opt.zero_grad(); loss.backward(); opt.step()
        print(f"step {step}: loss {loss.item():.4f}")

    size = CONFIG["image_size"]
    samples = diffusion.sample(model, (2, CONFIG["in_channels"], size, size), torch.tensor([3, 7]))
    print("samples", tuple(samples.shape))
