"""Neural machine translation with attention.

Port of the TF2 tutorial (`nmt_with_attention`) to PyTorch: same class names, `call` became `forward`.
The toy task: translate a number sequence into its reverse in another vocabulary.
"""
import argparse
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

PAD, START, END = 0, 1, 2


def create_dataset(num_examples, vocab_inp_size, vocab_tar_size, max_length=7):
    inputs, targets = [], []
    for _ in range(num_examples):
        n = int(torch.randint(3, max_length + 1, (1,)))
        src = torch.randint(3, vocab_inp_size, (n,))
        tar = src.flip(0) % (vocab_tar_size - 3) + 3
        inputs.append(torch.cat([torch.tensor([START]), src, torch.tensor([END])]))
        targets.append(torch.cat([torch.tensor([START]), tar, torch.tensor([END])]))
    return pad_sequences(inputs), pad_sequences(targets)


def pad_sequences(sequences):
    """keras.preprocessing.sequence.pad_sequences(padding='post')"""
    longest = max(len(s) for s in sequences)
    out = torch.full((len(sequences), longest), PAD, dtype=torch.long)
    for i, s in enumerate(sequences):
        out[i, :len(s)] = s
    return out


class Encoder(nn.Module):
    def __init__(self, vocab_size, embedding_dim, enc_units, batch_sz):
        super().__init__()
        self.batch_sz = batch_sz
        self.enc_units = enc_units
        self.embedding = nn.Embedding(vocab_size, embedding_dim, padding_idx=PAD)
        self.gru = nn.GRU(embedding_dim, enc_units, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * enc_units, enc_units)

    def forward(self, x, hidden):
        embedded = self.embedding(x)
        output, state = self.gru(embedded, hidden)
        # forward and backward state side by side, then down to the decoder's units
        state = torch.cat([state[0], state[1]], dim=-1)
        return output, torch.tanh(self.bridge(state))

    def initialize_hidden_state(self):
        return torch.zeros(2, self.batch_sz, self.enc_units)


class BahdanauAttention(nn.Module):
    def __init__(self, query_units, value_units, units):
        super().__init__()
        self.W1 = nn.Linear(query_units, units, bias=False)
        self.W2 = nn.Linear(value_units, units, bias=False)
        self.V = nn.Linear(units, 1)

    def forward(self, query, values, mask):
        # query [b, units] -> [b, 1, units], as tf.expand_dims(query, 1)
        query_with_time_axis = query.unsqueeze(1)
        score = self.V(torch.tanh(self.W1(query_with_time_axis) + self.W2(values)))
        score = score.masked_fill(~mask.unsqueeze(-1), -1e9)
        attention_weights = torch.softmax(score, dim=1)
        context_vector = (attention_weights * values).sum(dim=1)
        return context_vector, attention_weights


class Decoder(nn.Module):
    def __init__(self, vocab_size, embedding_dim, dec_units, enc_units, num_layers=1):
        super().__init__()
        self.dec_units = dec_units
        self.num_layers = num_layers
        self.embedding = nn.Embedding(vocab_size, embedding_dim)
        self.attention = BahdanauAttention(dec_units, 2 * enc_units, dec_units)
        self.gru = nn.GRU(2 * enc_units + embedding_dim, dec_units, num_layers=num_layers, batch_first=True)
        self.readout = nn.Linear(dec_units + 2 * enc_units, 2 * dec_units)
        self.fc = nn.Linear(dec_units, vocab_size)

    def forward(self, x, hidden, enc_output, mask):
        context_vector, attention_weights = self.attention(hidden[-1], enc_output, mask)
        x = self.embedding(x)                                            # [b, 1, e]
        x = torch.cat([context_vector.unsqueeze(1), x], dim=-1)
        output, state = self.gru(x, hidden)
        output = torch.cat([output.squeeze(1), context_vector], dim=-1)
        # maxout over pairs, as in the paper
        output = self.readout(output).view(-1, self.dec_units, 2).amax(dim=-1)
        return self.fc(output), state, attention_weights.squeeze(-1)


class Seq2Seq(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.encoder = Encoder(config.vocab_inp, config.embedding_dim, config.units, config.batch_size)
        self.decoder = Decoder(config.vocab_tar, config.embedding_dim, config.units, config.units, config.layers)

    def encode(self, inp):
        enc_output, enc_state = self.encoder(inp, self.encoder.initialize_hidden_state())
        hidden = enc_state.unsqueeze(0).expand(self.decoder.num_layers, -1, -1).contiguous()
        return enc_output, hidden, inp != PAD

    def forward(self, inp, tar):
        enc_output, hidden, mask = self.encode(inp)
        logits, coverage = [], torch.zeros(inp.shape)
        for t in range(tar.size(1) - 1):
            # teacher forcing
            step, hidden, weights = self.decoder(tar[:, t:t + 1], hidden, enc_output, mask)
            logits.append(step)
            coverage = coverage + weights
        return torch.stack(logits, dim=1), coverage

    @torch.no_grad()
    def translate(self, inp, max_length):
        enc_output, hidden, mask = self.encode(inp)
        dec_input = torch.full((inp.size(0), 1), START, dtype=torch.long)
        attention_plot = torch.zeros(inp.size(0), max_length, inp.size(1))
        result = []
        for t in range(max_length):
            predictions, hidden, weights = self.decoder(dec_input, hidden, enc_output, mask)
            attention_plot[:, t] = weights
            predicted_id = predictions.argmax(dim=-1)
            result.append(predicted_id)
            dec_input = predicted_id.unsqueeze(1)
        return torch.stack(result, dim=1), attention_plot


def loss_function(real, pred):
    # SparseCategoricalCrossentropy(from_logits=True, reduction='none')
    loss_ = F.cross_entropy(pred.transpose(1, 2), real, reduction="none")
    mask = (real != PAD).to(loss_.dtype)
    return (loss_ * mask).sum() / mask.sum()


def masked_accuracy(real, pred):
    match = (pred.argmax(dim=-1) == real) & (real != PAD)
    return match.sum() / (real != PAD).sum()


def train_step(model, optimizer, inp, tar):
    optimizer.zero_grad()
    pred, coverage = model(inp, tar)
    real = tar[:, 1:]
    loss = loss_function(real, pred)
    over = F.relu(coverage - 1).mean()
    (loss + 0.1 * over).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return loss.item(), masked_accuracy(real, pred).item()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch_size", type=int, default=8)
    parser.add_argument("--embedding_dim", type=int, default=24)
    parser.add_argument("--units", type=int, default=32)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--vocab_inp", type=int, default=30)
    parser.add_argument("--vocab_tar", type=int, default=25)
    config = parser.parse_args()

    torch.manual_seed(0)
    input_tensor, target_tensor = create_dataset(20, config.vocab_inp, config.vocab_tar)
    steps_per_epoch = len(input_tensor) // config.batch_size
    model = Seq2Seq(config)
    optimizer = torch.optim.Adam(model.parameters())
    start = time.time()
    for batch in range(steps_per_epoch):
        rows = slice(batch * config.batch_size, (batch + 1) * config.batch_size)
        loss, acc = train_step(model, optimizer, input_tensor[rows], target_tensor[rows])
        print(f"Batch {batch} Loss {loss:.4f} Accuracy {acc:.3f}")
    print(f"Time taken for 1 epoch {time.time() - start:.2f} sec")
    model.eval()
    result, plot = model.translate(input_tensor[:config.batch_size], target_tensor.size(1))
    print(result[0].tolist(), plot.shape)
