"""Translation with nn.Transformer, sinusoidal positions and padding masks."""

import math

import torch
from torch import nn


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout=0.1, max_len=512):
        super().__init__()
        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(1, max_len, d_model)
        pe[0, :, 0::2] = torch.sin(position * div_term)
        pe[0, :, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        x = x + self.pe[:, : x.size(1)]
        return self.dropout(x)


class TokenEmbedding(nn.Module):
    def __init__(self, vocab, d_model):
        super().__init__()
        self.table = nn.Embedding(vocab, d_model, padding_idx=0)
        self.d_model = d_model

    def forward(self, tokens):
        return self.table(tokens) * math.sqrt(self.d_model)


class Translator(nn.Module):
    def __init__(self, src_vocab=800, tgt_vocab=600, d_model=64, nhead=4, layers=2, ff=128):
        super().__init__()
        self.src_embed = TokenEmbedding(src_vocab, d_model)
        self.tgt_embed = TokenEmbedding(tgt_vocab, d_model)
        self.positions = PositionalEncoding(d_model)
        self.transformer = nn.Transformer(
            d_model=d_model,
            nhead=nhead,
            num_encoder_layers=layers,
            num_decoder_layers=layers,
            dim_feedforward=ff,
            batch_first=True,
        )
        self.generator = nn.Linear(d_model, tgt_vocab)

    def forward(self, src, tgt):
        tgt_mask = nn.Transformer.generate_square_subsequent_mask(tgt.size(1))
        src_pad = src == 0
        tgt_pad = tgt == 0
        source = self.positions(self.src_embed(src))
        target = self.positions(self.tgt_embed(tgt))
        out = self.transformer(
            source,
            target,
            tgt_mask=tgt_mask,
            src_key_padding_mask=src_pad,
            tgt_key_padding_mask=tgt_pad.float().masked_fill(tgt_pad, float("-inf")),
            memory_key_padding_mask=src_pad,
        )
        return self.generator(out)


class TranslationLoss(nn.Module):
    def __init__(self, model, smoothing=0.1):
        super().__init__()
        self.model = model
        self.criterion = nn.CrossEntropyLoss(ignore_index=0, label_smoothing=smoothing)

    def forward(self, src, tgt):
        logits = self.model(src, tgt[:, :-1])
        return self.criterion(logits.reshape(-1, logits.size(-1)), tgt[:, 1:].reshape(-1))


if __name__ == "__main__":
    src = torch.randint(1, 800, (3, 17))
    tgt = torch.randint(1, 600, (3, 14))
    print(TranslationLoss(Translator())(src, tgt))
