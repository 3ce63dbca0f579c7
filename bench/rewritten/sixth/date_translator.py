"""Turns dates in words into ISO dates: encoder, decoder and additive attention (after the seminar notes)."""
import torch
import torch.nn as nn


class Attention(nn.Module):
    def __init__(self, enc_dim, dec_dim):
        super().__init__()
        self.attn = nn.Linear(enc_dim + dec_dim, dec_dim)
        self.v = nn.Linear(dec_dim, 1, bias=False)

    def forward(self, hidden, encoder_outputs):
        # hidden: [batch, dec_dim], encoder_outputs: [batch, src_len, enc_dim]
        src_len = encoder_outputs.shape[1]
        query = hidden.unsqueeze(1).repeat(1, src_len, 1)
        energy = torch.tanh(self.attn(torch.cat((query, encoder_outputs), dim=2)))
        return self.v(energy).squeeze(2).softmax(dim=1)


class Decoder(nn.Module):
    def __init__(self, symbols, enc_dim, dec_dim, emb_dim=12):
        super().__init__()
        self.embedding = nn.Embedding(symbols, emb_dim)
        self.attention = Attention(enc_dim, dec_dim)
        self.cell = nn.GRUCell(emb_dim + enc_dim, dec_dim)
        self.out = nn.Linear(dec_dim, symbols)

    def forward(self, previous, hidden, encoder_outputs):
        weights = self.attention(hidden, encoder_outputs)
        context = (weights.unsqueeze(1) @ encoder_outputs).squeeze(1)
        hidden = self.cell(torch.cat((self.embedding(previous), context), dim=1), hidden)
        return self.out(hidden), hidden


class DateTranslator(nn.Module):
    def __init__(self, letters, symbols, dim=24):
        super().__init__()
        self.embedding = nn.Embedding(letters, 12)
        self.encoder = nn.GRU(12, dim, batch_first=True)
        self.decoder = Decoder(symbols, dim, dim)

    def forward(self, source, target):
        encoder_outputs, last = self.encoder(self.embedding(source))
        hidden = last[0]
        scores = []
        for previous in target[:, :-1].unbind(1):
            score, hidden = self.decoder(previous, hidden, encoder_outputs)
            scores.append(score)
        return torch.stack(scores, dim=1)


if __name__ == "__main__":
    torch.manual_seed(7)
    source, target = torch.randint(0, 30, (6, 18)), torch.randint(0, 12, (6, 10))
    model = DateTranslator(30, 12)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(3):
        scores = model(source, target)
        loss = nn.functional.cross_entropy(scores.flatten(0, 1), target[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(epoch, loss.item())
