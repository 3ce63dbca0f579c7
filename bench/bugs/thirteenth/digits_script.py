# Train a small autoencoder + classifier on fake digits, everything in one script.
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
device = torch.device("cpu")
BATCH, LATENT, CLASSES = 8, 12, 10

images = torch.rand(64, 28, 28)
labels = torch.randint(0, CLASSES, (64,))

encoder = nn.Sequential(
    nn.Conv2d(1, 8, 3, stride=2, padding=1),
    nn.ReLU(),
    nn.Conv2d(8, 16, 3, stride=2, padding=1),
    nn.ReLU(),
    nn.Flatten(),
    nn.Linear(16 * 7 * 7, 2 * LATENT),
).to(device)

decoder = nn.Sequential(
    nn.Linear(LATENT, 16 * 7 * 7),
    nn.ReLU(),
    nn.Unflatten(1, (16, 7, 7)),
    nn.ConvTranspose2d(16, 8, 4, stride=2, padding=1),
    nn.BatchNorm2d(8),
    nn.ReLU(),
    nn.ConvTranspose2d(8, 1, 4, stride=2, padding=1),
)

classifier = nn.Sequential(nn.Linear(LATENT, 32), nn.Dropout(0.2), nn.ReLU(), nn.Linear(32, CLASSES))


def get_batch(step):
    start = step * BATCH
    return images[start : start + BATCH].unsqueeze(1), labels[start : start + BATCH]


def reparameterize(mu, logvar):
    std = torch.exp(0.5 * logvar)
    return mu + torch.randn_like(std) * std


def vae_loss(recon, x, mu, logvar):
    bce = F.binary_cross_entropy_with_logits(recon, x, reduction="sum")
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return (bce + kld) / x.size(0)


criterion = nn.CrossEntropyLoss()
params = [*encoder.parameters(), *decoder.parameters(), *classifier.parameters()]
optimizer = torch.optim.SGD(params, lr=0.01)

for step in range(2):
    x, y = get_batch(step)
    mu, logvar = encoder(x).chunk(2, dim=1)
    z = reparameterize(mu, logvar)
    recon = decoder(z)
    logits = classifier(mu)
    loss = vae_loss(recon, x, mu, logvar) + criterion(logits, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())

with torch.no_grad():
    samples = decoder(torch.randn(16, LATENT)).sigmoid()
    grid = samples.view(4, 4, 28, 28).permute(0, 2, 1, 3).reshape(4 * 28, 4 * 28)
    accuracy = (classifier(encoder(images.unsqueeze(1))[:, :LATENT]).argmax(1) == labels).float().mean()
    print(grid.shape, accuracy)
