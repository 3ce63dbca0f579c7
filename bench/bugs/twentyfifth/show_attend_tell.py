"""Captions for pictures: CNN grid features, LSTMCell decoder with additive attention, teacher forcing."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class GridEncoder(nn.Module):
    def __init__(self, width=32, grid=7):
        super().__init__()
        layers, cin = [], 3
        for cout in (width, width * 2, width * 4):
            layers += [nn.Conv2d(cin, cout, 3, 2, 1), nn.BatchNorm2d(cout), nn.ReLU(inplace=True)]
            cin = cout
        self.net = nn.Sequential(*layers)
        self.pool = nn.AdaptiveAvgPool2d(grid)
        self.dim = cin

    def forward(self, images):
        f = self.pool(self.net(images))
        return f.permute(0, 2, 3, 1).flatten(1, 2)


class AdditiveAttention(nn.Module):
    def __init__(self, enc_dim, dec_dim, att_dim):
        super().__init__()
        self.enc_att = nn.Linear(enc_dim, att_dim)
        self.dec_att = nn.Linear(dec_dim, att_dim)
        self.full = nn.Linear(att_dim, 1)

    def forward(self, enc, hidden):
        a = self.enc_att(enc) + self.dec_att(hidden).unsqueeze(1)
        alpha = torch.softmax(self.full(torch.tanh(a)).squeeze(2), dim=1)
        context = (enc * alpha.unsqueeze(2)).sum(dim=1)
        return context, alpha


class CaptionDecoder(nn.Module):
    def __init__(self, vocab, enc_dim, emb=48, dec=96, att=64):
        super().__init__()
        self.vocab = vocab
        self.attention = AdditiveAttention(enc_dim, dec, att)
        self.embedding = nn.Embedding(vocab, emb, padding_idx=0)
        self.cell = nn.LSTMCell(emb + enc_dim, dec)
        self.init_h = nn.Linear(enc_dim, dec)
        self.init_c = nn.Linear(enc_dim, dec)
        self.gate = nn.Linear(dec, enc_dim)
        self.fc = nn.Linear(dec, vocab)

    def forward(self, enc, captions):
        B, T = captions.shape
        emb = self.embedding(captions)
        mean = enc.mean(dim=1)
        h, c = self.init_h(mean), self.init_c(mean)
        preds, alphas = [], []
        for t in range(T - 1):
            context, alpha = self.attention(enc, h)
            context = torch.sigmoid(self.gate(h)) * context
            h, c = self.cell(torch.cat([emb[:, t], context], dim=1), (h, c))
            preds.append(self.fc(h))
            alphas.append(alpha)
        return torch.stack(preds, dim=1), torch.stack(alphas, dim=1)


def train_step(encoder, decoder, images, captions, opt):
    preds, alphas = decoder(encoder(images), captions)
    targets = captions[:, 1:]
    loss = F.cross_entropy(preds.reshape(-1, preds.size(-1)), targets.reshape(-1), ignore_index=0)
    loss = loss + ((1.0 - alphas.sum(dim=1)) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


if __name__ == "__main__":
    enc = GridEncoder()
    dec = CaptionDecoder(vocab=200, enc_dim=enc.dim)
    opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=4e-4)
    print(train_step(enc, dec, torch.rand(4, 3, 112, 112), torch.randint(1, 200, (4, 12)), opt))
