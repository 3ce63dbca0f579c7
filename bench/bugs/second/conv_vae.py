"""A conditional VAE of small grey images, and its loss."""

import torch
from torch import nn
from torch.nn import functional as F


class ConvVAE(nn.Module):
    def __init__(self, in_channels=1, latent_dim=20, num_classes=10, hidden_dims=None):
        super(ConvVAE, self).__init__()
        hidden_dims = hidden_dims or [16, 32, 64]
        self.latent_dim = latent_dim
        self.embed_class = nn.Linear(num_classes, 28 * 28)
        self.last_size = 4

        modules, ch = [], in_channels + 1
        for h_dim in hidden_dims:
            modules.append(
                nn.Sequential(
                    nn.Conv2d(ch, out_channels=h_dim, kernel_size=3, stride=2, padding=1),
                    nn.BatchNorm2d(h_dim),
                    nn.LeakyReLU(),
                )
            )
            ch = h_dim
        self.encoder = nn.Sequential(*modules)
        self.fc_mu = nn.Linear(hidden_dims[-1] * 4 * 4, latent_dim)
        self.fc_var = nn.Linear(hidden_dims[-1] * 4 * 4, latent_dim)

        self.decoder_input = nn.Linear(latent_dim + num_classes, hidden_dims[-1] * 4 * 4)
        self.up1 = nn.ConvTranspose2d(64, 32, kernel_size=3, stride=2, padding=1)
        self.up2 = nn.ConvTranspose2d(32, 16, kernel_size=3, stride=2, padding=1, output_padding=1)
        self.up3 = nn.ConvTranspose2d(16, 16, kernel_size=3, stride=2, padding=1, output_padding=1)
        self.final_layer = nn.Sequential(nn.Conv2d(16, in_channels, kernel_size=3, padding=1), nn.Sigmoid())

    def encode(self, input):
        result = self.encoder(input)
        result = torch.flatten(result, start_dim=1)
        return [self.fc_mu(result), self.fc_var(result)]

    def decode(self, z):
        result = self.decoder_input(z)
        result = result.view(-1, 64, self.last_size, self.last_size)
        result = F.leaky_relu(self.up1(result))
        result = F.leaky_relu(self.up2(result))
        result = F.leaky_relu(self.up3(result))
        return self.final_layer(result)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = torch.randn_like(std)
        return eps * std + mu

    def forward(self, input, labels):
        y = F.one_hot(labels, 10).float()
        plane = self.embed_class(y).view(-1, 28, 28).unsqueeze(1)
        mu, log_var = self.encode(torch.cat([input, plane], dim=1))
        z = self.reparameterize(mu, log_var)
        z = torch.cat([z, y], dim=1)
        return self.decode(z), mu, log_var


def loss_function(recons, input, mu, log_var, kld_weight=0.005):
    recons_loss = F.binary_cross_entropy(recons, input)
    kld_loss = torch.mean(-0.5 * torch.sum(1 + log_var - mu**2 - log_var.exp(), dim=1), dim=0)
    return recons_loss + kld_weight * kld_loss


class Trainer(nn.Module):
    def __init__(self):
        super().__init__()
        self.vae = ConvVAE()

    def forward(self, x, labels):
        recons, mu, log_var = self.vae(x, labels)
        return loss_function(recons, x, mu, log_var)


if __name__ == "__main__":
    batch = torch.rand(16, 1, 28, 28)
    digits = torch.randint(0, 10, (16,))
    Trainer()(batch, digits).backward()
