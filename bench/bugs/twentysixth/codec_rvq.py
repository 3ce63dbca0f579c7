# neural audio codec: strided 1d convs, residual vector quantization, transposed convs back, multi resolution STFT loss
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

HP = dict(sr=8000, channels=16, strides=[2, 4, 5], code_dim=48, codebooks=3, codes=64, segment=1600)


class ResUnit(nn.Module):
    def __init__(self, ch, dilation):
        super().__init__()
        self.layers = nn.Sequential(
            nn.ELU(),
            nn.Conv1d(ch, ch // 2, 3, dilation=dilation, padding=dilation),
            nn.ELU(),
            nn.Conv1d(ch // 2, ch, 1),
        )

    def forward(self, x):
        return x + self.layers(x)


def down(ch, stride):
    return [
        ResUnit(ch, 1),
        ResUnit(ch, 3),
        nn.ELU(),
        nn.Conv1d(ch, 2 * ch, 2 * stride, stride, padding=math.ceil(stride / 2)),
    ]


def up(ch, stride):
    return [
        nn.ELU(),
        nn.ConvTranspose1d(ch, ch // 2, 2 * stride, stride, padding=math.ceil(stride / 2), output_padding=stride % 2),
        ResUnit(ch // 2, 1),
        ResUnit(ch // 2, 3),
    ]


class Codebook(nn.Module):
    def __init__(self, n, dim):
        super().__init__()
        self.table = nn.Embedding(n, dim)

    def forward(self, z):
        # z: (B, T, D)
        cross = torch.einsum("btd,nd->btn", z, self.table.weight)
        d = z.pow(2).sum(-1, keepdim=True) - 2 * cross + self.table.weight.pow(2).sum(-1)
        idx = d.argmin(dim=-1)
        q = self.table(idx)
        return z + (q - z).detach(), idx, F.mse_loss(q.detach(), z) + F.mse_loss(q, z.detach())


class ResidualVQ(nn.Module):
    def __init__(self, n_books, n, dim):
        super().__init__()
        self.books = nn.ModuleList([Codebook(n, dim) for _ in range(n_books)])

    def forward(self, z):
        residual, out, codes, loss = z, torch.zeros_like(z), [], 0.0
        for book in self.books:
            q, idx, commit = book(residual)
            residual = residual - q.detach()
            out = out + q
            codes.append(idx)
            loss = loss + commit
        return out, torch.stack(codes, dim=1), loss

    def decode(self, codes):
        return sum(book.table(codes[:, i]) for i, book in enumerate(self.books))


class Codec(nn.Module):
    def __init__(self, hp):
        super().__init__()
        ch = hp["channels"]
        enc = [nn.Conv1d(1, ch, 7, padding=3)]
        for s in hp["strides"]:
            enc += down(ch, s)
            ch *= 2
        enc += [nn.ELU(), nn.Conv1d(ch, hp["code_dim"], 3, padding=1)]
        dec = [nn.Conv1d(hp["code_dim"], ch, 7, padding=3)]
        for s in reversed(hp["strides"]):
            dec += up(ch, s)
            ch //= 2
        dec += [nn.ELU(), nn.Conv1d(ch, 1, 7, padding=3), nn.Tanh()]
        self.encoder, self.decoder = nn.Sequential(*enc), nn.Sequential(*dec)
        self.vq = ResidualVQ(hp["codebooks"], hp["codes"], hp["code_dim"])

    def forward(self, wav):
        z = self.encoder(wav.unsqueeze(1)).transpose(1, 2)
        q, codes, commit = self.vq(z)
        return self.decoder(q.transpose(1, 2)).squeeze(1), codes, commit

    @torch.no_grad()
    def from_codes(self, codes):
        return self.decoder(self.vq.decode(codes).transpose(1, 2))


class STFTDiscriminator(nn.Module):
    def __init__(self, n_fft=256, ch=8):
        super().__init__()
        self.n_fft = n_fft
        self.register_buffer("window", torch.hann_window(n_fft))
        self.net = nn.Sequential(
            nn.Conv2d(2, ch, (3, 9), padding=(1, 4)),
            nn.LeakyReLU(0.2),
            nn.Conv2d(ch, ch * 2, (3, 9), stride=(1, 2), padding=(1, 4)),
            nn.LeakyReLU(0.2),
            nn.Conv2d(ch * 2, 1, 3, padding=1),
        )

    def forward(self, wav):
        spec = torch.stft(wav, self.n_fft, self.n_fft // 4, window=self.window, return_complex=True)
        return self.net(torch.view_as_real(spec).permute(0, 3, 1, 2))


def spectral_loss(fake, real, sizes=(128, 256)):
    loss = 0.0
    for n in sizes:
        w = torch.hann_window(n)
        a = torch.stft(fake, n, n // 4, window=w, return_complex=True).abs()
        b = torch.stft(real, n, n // 4, window=w, return_complex=True).abs()
        loss = loss + F.l1_loss((a + 1e-5).log(), (b + 1e-5).log())
    return loss


def main():
    codec, disc = Codec(HP), STFTDiscriminator()
    wav = torch.rand(2, HP["segment"]) * 2 - 1
    out, codes, commit = codec(wav)
    real, fake = disc(wav), disc(out)
    g_loss = F.l1_loss(out, wav) + spectral_loss(out, wav) + commit + (1 - fake).pow(2).mean()
    g_loss.backward()
    d_loss = (1 - real).relu().mean() + (1 + disc(out.detach())).relu().mean()
    d_loss.backward()
    print(codec.from_codes(codes).shape)


if __name__ == "__main__":
    main()
