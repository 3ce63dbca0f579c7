# %% [markdown]
# # VAE + GAN on small grey pictures (course notes)

# %%
import torch
import torch.nn as nn
import torch.nn.functional as F

latent_dim = 20
img_size = 28
batch_size = 6


# %%
class Encoder(nn.Module):
    def __init__(self):
        super(Encoder, self).__init__()
        self.conv1 = nn.Conv2d(1, 12, kernel_size=3, stride=2, padding=1)
        self.conv2 = nn.Conv2d(12, 24, kernel_size=3, stride=2, padding=1)
        self.fc = nn.Linear(24 * 7 * 7, 90)
        self.mu = nn.Linear(90, latent_dim)
        self.logvar = nn.Linear(90, latent_dim)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        x = x.view(x.size(0), -1)
        x = F.relu(self.fc(x))
        return self.mu(x), self.logvar(x)


class Decoder(nn.Module):
    def __init__(self):
        super(Decoder, self).__init__()
        self.fc1 = nn.Linear(latent_dim, 90)
        self.fc2 = nn.Linear(90, 24 * 7 * 7)
        self.deconv1 = nn.ConvTranspose2d(24, 12, kernel_size=4, stride=2, padding=1)
        self.deconv2 = nn.ConvTranspose2d(12, 1, kernel_size=4, stride=2, padding=1)

    def forward(self, z):
        z = F.relu(self.fc1(z))
        z = F.relu(self.fc2(z))
        z = z.view(-1, 24, 7, 7)
        z = F.relu(self.deconv1(z))
        return torch.sigmoid(self.deconv2(z))


# %%
class VAE(nn.Module):
    def __init__(self):
        super(VAE, self).__init__()
        self.encoder = Encoder()
        self.decoder = Decoder()

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = torch.randn_like(std)
        return mu + eps * std

    def forward(self, x):
        mu, logvar = self.encoder(x)
        z = self.reparameterize(mu, logvar)
        recon = self.decoder(z)
        bce = F.binary_cross_entropy(recon.view(-1, 784), x.view(-1, 784), reduction="sum")
        kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
        return recon, bce + kld


# %%
class Discriminator(nn.Module):
    def __init__(self, n_classes=10):
        super(Discriminator, self).__init__()
        self.label_emb = nn.Embedding(n_classes, img_size * img_size)
        self.features = nn.Sequential(
            nn.Conv2d(2, 16, 4, 2, 1),
            nn.LeakyReLU(0.2),
            nn.Conv2d(16, 32, 4, 2, 1),
            nn.BatchNorm2d(32),
            nn.LeakyReLU(0.2),
        )
        self.pool = nn.AdaptiveAvgPool2d(3)
        self.classifier = nn.Linear(32 * 3 * 3, 1)
        self.criterion = nn.BCEWithLogitsLoss()

    def forward(self, img, labels, target):
        y = self.label_emb(labels).view(-1, 1, img_size, img_size)
        x = torch.cat([img, y], dim=1)
        x = self.pool(self.features(x))
        x = torch.flatten(x, 1)
        validity = self.classifier(x)
        return self.criterion(validity, target)


# %%
vae = VAE()
disc = Discriminator()
images = torch.rand(batch_size, 1, img_size, img_size)
recon, vae_loss = vae(images)
labels = torch.randint(0, 10, (batch_size,))
d_loss = disc(images, labels, torch.ones(batch_size, 1))
