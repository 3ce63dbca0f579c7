"""Speech from text: an encoder of characters, attention with locations, a decoder step by step."""

import torch
from torch import nn
from torch.nn import functional as F


class hparams:
    n_symbols = 40
    n_mels = 20
    symbols_embedding_dim = 48
    encoder_kernel_size = 5
    encoder_n_convolutions = 2
    encoder_embedding_dim = 48
    attention_rnn_dim = 64
    decoder_rnn_dim = 64
    prenet_dim = 32
    attention_dim = 24
    attention_location_n_filters = 8
    attention_location_kernel_size = 7
    postnet_embedding_dim = 32
    postnet_n_convolutions = 3


class ConvNorm(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size=1, bias=True):
        super().__init__()
        self.conv = nn.Conv1d(in_channels, out_channels, kernel_size, padding=(kernel_size - 1) // 2, bias=bias)

    def forward(self, signal):
        return self.conv(signal)


class LocationLayer(nn.Module):
    def __init__(self, n_filters, kernel_size, attention_dim):
        super().__init__()
        self.location_conv = ConvNorm(2, n_filters, kernel_size, bias=False)
        self.location_dense = nn.Linear(n_filters, attention_dim, bias=False)

    def forward(self, attention_weights_cat):
        processed = self.location_conv(attention_weights_cat)
        processed = processed.transpose(1, 2)
        return self.location_dense(processed)


class Attention(nn.Module):
    def __init__(self, hp):
        super().__init__()
        self.query_layer = nn.Linear(hp.attention_rnn_dim, hp.attention_dim, bias=False)
        self.memory_layer = nn.Linear(hp.encoder_embedding_dim, hp.attention_dim, bias=False)
        self.v = nn.Linear(hp.attention_dim, 1, bias=False)
        self.location_layer = LocationLayer(
            hp.attention_location_n_filters, hp.attention_location_kernel_size, hp.attention_dim
        )

    def get_alignment_energies(self, query, processed_memory, attention_weights_cat):
        processed_query = self.query_layer(query.unsqueeze(1))
        processed_weights = self.location_layer(attention_weights_cat)
        energies = self.v(torch.tanh(processed_query + processed_weights + processed_memory))
        return energies.squeeze(-1)

    def forward(self, attention_hidden_state, memory, processed_memory, attention_weights_cat, mask):
        alignment = self.get_alignment_energies(attention_hidden_state, processed_memory, attention_weights_cat)
        alignment = alignment.masked_fill(mask, -float("inf"))
        attention_weights = F.softmax(alignment, dim=1)
        attention_context = torch.bmm(attention_weights.unsqueeze(1), memory).squeeze(1)
        return attention_context, attention_weights


class Prenet(nn.Module):
    def __init__(self, in_dim, sizes):
        super().__init__()
        in_sizes = [in_dim] + sizes[:-1]
        self.layers = nn.ModuleList([nn.Linear(i, o, bias=False) for i, o in zip(in_sizes, sizes)])

    def forward(self, x):
        for linear in self.layers:
            x = F.dropout(F.relu(linear(x)), p=0.5, training=True)
        return x


class Postnet(nn.Module):
    def __init__(self, hp):
        super().__init__()
        dims = [hp.n_mels] + [hp.postnet_embedding_dim] * (hp.postnet_n_convolutions - 1) + [hp.n_mels]
        self.convolutions = nn.ModuleList(
            nn.Sequential(ConvNorm(i, o, 5), nn.BatchNorm1d(o)) for i, o in zip(dims[:-1], dims[1:])
        )

    def forward(self, x):
        for i, conv in enumerate(self.convolutions):
            x = conv(x)
            if i < len(self.convolutions) - 1:
                x = torch.tanh(x)
        return x


class Encoder(nn.Module):
    def __init__(self, hp):
        super().__init__()
        convolutions = []
        for _ in range(hp.encoder_n_convolutions):
            convolutions.append(
                nn.Sequential(
                    ConvNorm(hp.encoder_embedding_dim, hp.encoder_embedding_dim, hp.encoder_kernel_size),
                    nn.BatchNorm1d(hp.encoder_embedding_dim),
                )
            )
        self.convolutions = nn.ModuleList(convolutions)
        self.lstm = nn.LSTM(
            hp.encoder_embedding_dim, int(hp.encoder_embedding_dim / 2), 1, batch_first=True, bidirectional=True
        )

    def forward(self, x, input_lengths):
        for conv in self.convolutions:
            x = F.dropout(F.relu(conv(x)), 0.5, self.training)
        x = x.transpose(1, 2)
        x = nn.utils.rnn.pack_padded_sequence(x, input_lengths, batch_first=True)
        outputs, _ = self.lstm(x)
        outputs, _ = nn.utils.rnn.pad_packed_sequence(outputs, batch_first=True)
        return outputs


class Decoder(nn.Module):
    def __init__(self, hp):
        super().__init__()
        self.n_mels = hp.n_mels
        self.encoder_embedding_dim = hp.encoder_embedding_dim
        self.attention_rnn_dim = hp.attention_rnn_dim
        self.decoder_rnn_dim = hp.decoder_rnn_dim
        self.prenet = Prenet(hp.n_mels, [hp.prenet_dim, hp.prenet_dim])
        self.attention_rnn = nn.LSTMCell(hp.prenet_dim + hp.encoder_embedding_dim, hp.attention_rnn_dim)
        self.attention_layer = Attention(hp)
        self.decoder_rnn = nn.LSTMCell(hp.attention_rnn_dim + hp.encoder_embedding_dim, hp.decoder_rnn_dim)
        self.linear_projection = nn.Linear(hp.decoder_rnn_dim + hp.encoder_embedding_dim, hp.n_mels)
        self.gate_layer = nn.Linear(hp.decoder_rnn_dim + hp.encoder_embedding_dim, 1)

    def initialize_decoder_states(self, memory, mask):
        B, T, _ = memory.shape
        self.attention_hidden = memory.new_zeros(B, self.attention_rnn_dim)
        self.attention_cell = memory.new_zeros(B, self.attention_rnn_dim)
        self.decoder_hidden = memory.new_zeros(B, self.decoder_rnn_dim)
        self.decoder_cell = memory.new_zeros(B, self.decoder_rnn_dim)
        self.attention_weights = memory.new_zeros(B, T)
        self.attention_weights_cum = memory.new_zeros(B, T)
        self.attention_context = memory.new_zeros(B, self.encoder_embedding_dim)
        self.memory = memory
        self.processed_memory = self.attention_layer.memory_layer(memory)
        self.mask = mask

    def decode(self, decoder_input):
        cell_input = torch.cat((decoder_input, self.attention_context), -1)
        self.attention_hidden, self.attention_cell = self.attention_rnn(
            cell_input, (self.attention_hidden, self.attention_cell)
        )
        weights_cat = torch.stack((self.attention_weights, self.attention_weights_cum), dim=1)
        self.attention_context, self.attention_weights = self.attention_layer(
            self.attention_hidden, self.memory, self.processed_memory, weights_cat, self.mask
        )
        self.attention_weights_cum = self.attention_weights_cum + self.attention_weights
        decoder_input = torch.cat((self.attention_hidden, self.attention_context), -1)
        self.decoder_hidden, self.decoder_cell = self.decoder_rnn(decoder_input, (self.decoder_hidden, self.decoder_cell))
        hidden_and_context = torch.cat((self.decoder_hidden, self.attention_context), dim=1)
        return self.linear_projection(hidden_and_context), self.gate_layer(hidden_and_context), self.attention_weights

    def forward(self, memory, decoder_inputs, mask):
        go_frame = memory.new_zeros(1, memory.size(0), self.n_mels)
        decoder_inputs = torch.cat((go_frame, decoder_inputs.permute(2, 0, 1)), dim=0)
        decoder_inputs = self.prenet(decoder_inputs)
        self.initialize_decoder_states(memory, mask)
        mel_outputs, gate_outputs, alignments = [], [], []
        while len(mel_outputs) < decoder_inputs.size(0) - 1:
            mel_output, gate_output, attention_weights = self.decode(decoder_inputs[len(mel_outputs)])
            mel_outputs += [mel_output]
            gate_outputs += [gate_output.squeeze(1)]
            alignments += [attention_weights]
        mel_outputs = torch.stack(mel_outputs).permute(1, 2, 0)
        return mel_outputs, torch.stack(gate_outputs).transpose(0, 1), torch.stack(alignments).transpose(0, 1)


class Tacotron(nn.Module):
    def __init__(self, hp):
        super().__init__()
        self.embedding = nn.Embedding(hp.n_symbols, hp.symbols_embedding_dim)
        self.encoder = Encoder(hp)
        self.decoder = Decoder(hp)
        self.postnet = Postnet(hp)

    def forward(self, inputs):
        text, text_lengths, mels = inputs
        embedded = self.embedding(text).transpose(1, 2)
        encoder_outputs = self.encoder(embedded, text_lengths)
        mask = torch.arange(text.size(1))[None, :] >= text_lengths[:, None]
        mel_outputs, gate_outputs, alignments = self.decoder(encoder_outputs, mels, mask)
        return mel_outputs, mel_outputs + self.postnet(mel_outputs), gate_outputs, alignments


class TacotronLoss(nn.Module):
    def forward(self, model_output, targets):
        mel_target, gate_target = targets
        mel_out, mel_out_postnet, gate_out, _ = model_output
        gate_target = gate_target.view(-1, 1)
        gate_out = gate_out.reshape(-1, 1)
        mel_loss = F.mse_loss(mel_out, mel_target) + F.mse_loss(mel_out_postnet, mel_target)
        return mel_loss + F.binary_cross_entropy_with_logits(gate_out, gate_target)


if __name__ == "__main__":
    model, criterion = Tacotron(hparams), TacotronLoss()
    text = torch.randint(0, hparams.n_symbols, (2, 9))
    lengths = torch.tensor([9, 6])
    mels = torch.randn(2, hparams.n_mels, 7)
    gates = torch.zeros(2, 7)
    outputs = model((text, lengths, mels))
    print(criterion(outputs, (mels, gates)))
