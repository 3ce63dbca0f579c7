# Ported from our TF2 captioning code (show_attend_tell/layers.py).
# Names are kept so that the two can be read side by side: units, Dense -> Linear, call() -> forward().
import torch
from torch import nn
import torch.nn.functional as F


class CNN_Encoder(nn.Module):
    """tf: Conv2D x3 + Dense.  Input NHWC as in the tf.data pipeline, output (batch, 16, embedding_dim)."""

    def __init__(self, embedding_dim):
        super(CNN_Encoder, self).__init__()
        self.conv1 = nn.Conv2d(3, 16, 3, stride=2, padding=1)
        self.conv2 = nn.Conv2d(16, 32, 3, stride=2, padding=1)
        self.conv3 = nn.Conv2d(32, 64, 3, stride=2, padding=1)
        self.fc = nn.Linear(64, embedding_dim)

    def forward(self, x):
        x = x.permute(0, 3, 1, 2)            # NHWC -> NCHW
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        x = F.relu(self.conv3(x))
        x = x.permute(0, 2, 3, 1)            # back to NHWC
        x = x.reshape(x.shape[0], -1, x.shape[3])
        return F.relu(self.fc(x))


class BahdanauAttention(nn.Module):
    def __init__(self, feature_dim, hidden_dim, units):
        super(BahdanauAttention, self).__init__()
        self.W1 = nn.Linear(feature_dim, units)
        self.W2 = nn.Linear(hidden_dim, units)
        self.V = nn.Linear(units, 1)

    def forward(self, features, hidden):
        # features (batch, 16, embedding_dim), hidden (batch, units)
        hidden_with_time_axis = hidden.unsqueeze(1)
        score = self.V(torch.tanh(self.W1(features) + self.W2(hidden_with_time_axis)))
        attention_weights = torch.softmax(score, dim=1)
        context_vector = torch.matmul(attention_weights.transpose(1, 2), features).squeeze(1)
        return context_vector, attention_weights.squeeze(-1)


class RNN_Decoder(nn.Module):
    def __init__(self, embedding_dim, units, vocab_size):
        super(RNN_Decoder, self).__init__()
        self.units = units
        self.embedding = nn.Embedding(vocab_size, embedding_dim)
        self.gru = nn.GRUCell(2 * embedding_dim, units)
        self.layer_norm = nn.LayerNorm(units)
        self.fc1 = nn.Linear(units, units)
        self.fc2 = nn.Linear(units, vocab_size)
        self.attention = BahdanauAttention(embedding_dim, units, units // 2)

    def forward(self, x, features, hidden):
        context_vector, attention_weights = self.attention(features, hidden)
        x = self.embedding(x)
        x = torch.cat([context_vector, x], dim=-1)
        state = self.gru(x, hidden)
        x = self.fc1(self.layer_norm(state))
        return self.fc2(F.relu(x)), state, attention_weights

    def reset_state(self, batch_size):
        return torch.zeros(batch_size, self.units)
