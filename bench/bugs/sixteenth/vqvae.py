import torch
import torch.nn as nn
import torch.nn.functional as F


class Residual(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.block = nn.Sequential(
            nn.ReLU(),
            nn.Conv2d(dim, hidden, 3, 1, 1),
            nn.ReLU(),
            nn.Conv2d(hidden, dim, 1),
        )

    def forward(self, x):
        return x + self.block(x)


class Encoder(nn.Module):
    def __init__(self, in_dim, dim, res_hidden=32):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(in_dim, dim // 2, 4, 2, 1),
            nn.ReLU(),
            nn.Conv2d(dim // 2, dim, 4, 2, 1),
            Residual(dim, res_hidden),
            Residual(dim, res_hidden),
        )

    def forward(self, x):
        return self.net(x)


class Quantizer(nn.Module):
    def __init__(self, n_codes, code_dim, beta=0.25):
        super().__init__()
        self.n_codes, self.code_dim, self.beta = n_codes, code_dim, beta
        self.codebook = nn.Embedding(n_codes, code_dim)
        self.codebook.weight.data.uniform_(-1 / n_codes, 1 / n_codes)

    def forward(self, z):
        z = z.permute(0, 2, 3, 1).contiguous()
        flat = z.view(-1, self.code_dim)
        distance = (
            flat.pow(2).sum(1, keepdim=True)
            + self.codebook.weight.pow(2).sum(1)
            - 2 * flat @ self.codebook.weight.t()
        )
        codes = distance.argmin(dim=1)
        quantized = self.codebook(codes).view(z.shape)
        loss = F.mse_loss(quantized, z.detach()) + self.beta * F.mse_loss(z, quantized.detach())
        quantized = z + (quantized - z).detach()
        usage = F.one_hot(codes, self.n_codes).float().mean(0)
        perplexity = torch.exp(-torch.sum(usage * torch.log(usage + 1e-10)))
        return quantized.permute(0, 3, 1, 2), codes.view(z.shape[:-1]), loss, perplexity


class Decoder(nn.Module):
    def __init__(self, code_dim, dim, out_dim, res_hidden=32):
        super().__init__()
        self.conv_in = nn.Conv2d(code_dim, dim, 3, padding=1)
        self.res = nn.Sequential(*[Residual(dim, res_hidden) for _ in range(2)])
        self.up1 = nn.ConvTranspose2d(dim, dim // 2, kernel_size=4, stride=2, padding=1)
        self.up2 = nn.ConvTranspose2d(dim // 2, out_dim, kernel_size=4, stride=2, padding=1)

    def forward(self, q):
        x = self.res(self.conv_in(q))
        x = F.relu(self.up1(x))
        return torch.tanh(self.up2(x))


class VQVAE(nn.Module):
    def __init__(self, in_dim=3, dim=128, n_codes=512, code_dim=64):
        super().__init__()
        self.encoder = Encoder(in_dim, dim)
        self.pre_vq = nn.Conv2d(dim, code_dim, kernel_size=1)
        self.vq = Quantizer(n_codes, code_dim)
        self.decoder = Decoder(code_dim, dim, in_dim)

    def forward(self, x):
        z = self.pre_vq(self.encoder(x))
        quantized, codes, vq_loss, perplexity = self.vq(z)
        return self.decoder(quantized), codes, vq_loss, perplexity


class CodePrior(nn.Module):
    """Codes of a picture, one after the other."""

    def __init__(self, n_codes=512, width=64, steps=64):
        super().__init__()
        self.embed = nn.Embedding(n_codes, width)
        self.place = nn.Parameter(torch.zeros(1, steps, width))
        self.rnn = nn.LSTM(width, 2 * width, batch_first=True)
        self.to_logits = nn.Linear(2 * width, n_codes)

    def forward(self, codes):
        x = self.embed(codes) + self.place[:, : codes.size(1)]
        h, _ = self.rnn(x)
        return self.to_logits(h)


def prior_loss(prior, codes):
    flat = codes.flatten(1)
    logits = prior(flat[:, :-1])
    return F.cross_entropy(logits.transpose(1, 2), flat[:, 1:])


images = torch.rand(4, 3, 32, 32) * 2 - 1
model = VQVAE()
recon, codes, vq_loss, perplexity = model(images)
loss = F.mse_loss(recon, images) + vq_loss
loss.backward()
prior = CodePrior()
print(loss.item(), prior_loss(prior, codes.detach()).item())
