# Chatbot tutorial: encoder, attention, decoder with teacher forcing

import random

import torch
import torch.nn as nn
import torch.nn.functional as F

SOS, EOS, PAD = 1, 2, 0


class EncoderRNN(nn.Module):
    def __init__(self, vocab_size, embed_size, hidden_size, n_layers=2):
        super().__init__()
        self.hidden_size = hidden_size
        self.embedding = nn.Embedding(vocab_size, embed_size, padding_idx=PAD)
        self.gru = nn.GRU(embed_size, hidden_size, n_layers, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden_size, hidden_size)

    def forward(self, input_seq):
        embedded = self.embedding(input_seq)
        outputs, hidden = self.gru(embedded)
        outputs = outputs[:, :, : self.hidden_size] + outputs[:, :, self.hidden_size :]
        hidden = torch.tanh(self.bridge(torch.cat((hidden[-2], hidden[-1]), dim=1)))
        return outputs, hidden.unsqueeze(0)


class BahdanauAttn(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.attn = nn.Linear(hidden_size * 2, hidden_size)
        self.v = nn.Parameter(torch.rand(hidden_size))

    def forward(self, hidden, encoder_outputs):
        max_len = encoder_outputs.size(0)
        H = hidden.repeat(max_len, 1, 1).transpose(0, 1)
        encoder_outputs = encoder_outputs.transpose(0, 1)
        energy = torch.tanh(self.attn(torch.cat([H, encoder_outputs], 2)))
        energy = energy.transpose(2, 1)
        v = self.v.repeat(encoder_outputs.size(0), 1).unsqueeze(1)
        energy = torch.bmm(v, energy)
        return F.softmax(energy.squeeze(1), dim=1).unsqueeze(1)


class DecoderRNN(nn.Module):
    def __init__(self, embed_size, hidden_size, vocab_size):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.dropout = nn.Dropout(0.1)
        self.attn = BahdanauAttn(hidden_size)
        self.gru = nn.GRU(hidden_size + embed_size, hidden_size)
        self.out = nn.Linear(hidden_size * 2, vocab_size)

    def forward(self, word_input, last_hidden, encoder_outputs):
        word_embedded = self.dropout(self.embedding(word_input)).unsqueeze(0)
        attn_weights = self.attn(last_hidden[-1], encoder_outputs)
        context = attn_weights.bmm(encoder_outputs.transpose(0, 1))
        context = context.transpose(0, 1)
        rnn_input = torch.cat((word_embedded, context), 2)
        output, hidden = self.gru(rnn_input, last_hidden)
        output = output.squeeze(0)
        output = self.out(torch.cat((output, context.squeeze(0)), 1))
        return output, hidden, attn_weights


class Seq2Seq(nn.Module):
    def __init__(self, encoder, decoder, vocab_size):
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder
        self.vocab_size = vocab_size

    def forward(self, src, trg, teacher_forcing_ratio=0.5):
        max_len, batch_size = trg.shape
        outputs = torch.zeros(max_len, batch_size, self.vocab_size)
        encoder_outputs, hidden = self.encoder(src)
        output = trg[0]
        for t in range(1, max_len):
            output, hidden, _ = self.decoder(output, hidden, encoder_outputs)
            outputs[t] = output
            top1 = output.argmax(1)
            output = trg[t] if random.random() < teacher_forcing_ratio else top1
        return F.cross_entropy(outputs[1:].view(-1, self.vocab_size), trg[1:].reshape(-1), ignore_index=PAD)


def main():
    vocab_size = 130
    encoder = EncoderRNN(vocab_size, 24, 38)
    decoder = DecoderRNN(24, 38, vocab_size)
    model = Seq2Seq(encoder, decoder, vocab_size)
    src = torch.randint(3, vocab_size, (11, 4))
    trg = torch.randint(3, vocab_size, (7, 4))
    loss = model(src, trg)
    loss.backward()


if __name__ == "__main__":
    main()
