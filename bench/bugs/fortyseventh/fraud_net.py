import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class FieldEmbedding(nn.Module):
    """One table for all fields; each field's ids are shifted by its offset."""

    def __init__(self, cardinalities, emb_dim):
        super().__init__()
        self.table = nn.Embedding(sum(cardinalities), emb_dim)
        offsets = torch.tensor([0] + list(cardinalities[:-1])).cumsum(0)
        self.register_buffer("offsets", offsets)

    def forward(self, cats):  # [bs, n_fields]
        return self.table(cats + self.offsets)


class CrossNet(nn.Module):
    """DCN-v2, low rank"""

    def __init__(self, dim, n_layers, rank):
        super().__init__()
        self.n_layers = n_layers
        self.U = nn.ParameterList([nn.Parameter(torch.randn(dim, rank) * 0.02) for _ in range(n_layers)])
        self.V = nn.ParameterList([nn.Parameter(torch.randn(rank, dim) * 0.02) for _ in range(n_layers)])
        self.bias = nn.ParameterList([nn.Parameter(torch.zeros(dim)) for _ in range(n_layers)])

    def forward(self, x0):
        x = x0
        for i in range(self.n_layers):
            xw = (x @ self.U[i]) @ self.V[i]
            x = x0 * (xw + self.bias[i]) + x
        return x


class MLP(nn.Sequential):
    def __init__(self, in_dim, hidden, dropout):
        layers = []
        for h in hidden:
            layers += [nn.Linear(in_dim, h), nn.BatchNorm1d(h), nn.PReLU(), nn.Dropout(dropout)]
            in_dim = h
        super().__init__(*layers)


class SessionEncoder(nn.Module):
    """GRU on the last clicks of the ip, attention pooling by the current click"""

    def __init__(self, n_apps, emb_dim, hidden, query_dim, n_layers=2):
        super().__init__()
        self.hidden, self.n_layers = hidden, n_layers
        self.app = nn.Embedding(n_apps + 1, emb_dim, padding_idx=0)
        self.gru = nn.GRU(emb_dim + 1, hidden, num_layers=n_layers, batch_first=True)
        self.init = nn.Linear(query_dim, n_layers * hidden)
        self.query = nn.Linear(query_dim, hidden)

    def forward(self, hist, gaps, lengths, current):
        bs, steps = hist.shape
        x = torch.cat([self.app(hist), gaps.unsqueeze(-1)], dim=-1)
        h0 = torch.tanh(self.init(current)).view(bs, self.n_layers, self.hidden)
        h0 = h0.transpose(0, 1).contiguous()
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        out, _ = self.gru(packed, h0)
        out, _ = pad_packed_sequence(out, batch_first=True, total_length=steps)
        att = torch.bmm(out, self.query(current).unsqueeze(2)).squeeze(2)
        att = att.masked_fill(hist == 0, -1e4).softmax(dim=1)
        return (att.unsqueeze(2) * out).sum(dim=1)


class FraudNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        n_fields = len(cfg.cardinalities)
        self.fields = FieldEmbedding(cfg.cardinalities, cfg.emb_dim)
        self.linear = FieldEmbedding(cfg.cardinalities, 1)
        self.num_bn = nn.BatchNorm1d(cfg.n_nums)
        self.session = SessionEncoder(cfg.cardinalities[0], cfg.emb_dim, cfg.gru_hidden, n_fields * cfg.emb_dim)
        dim = n_fields * cfg.emb_dim + cfg.n_nums + cfg.gru_hidden
        self.cross = CrossNet(dim, cfg.cross_layers, cfg.rank)
        self.deep = MLP(dim, cfg.hidden, cfg.dropout)
        self.fraud_head = nn.Linear(dim + cfg.hidden[-1], 1)
        self.dwell_head = nn.Linear(cfg.hidden[-1], 1)

    @staticmethod
    def fm(emb):
        """second order interactions, [bs]"""
        square_of_sum = emb.sum(dim=1).pow(2)
        sum_of_square = emb.pow(2).sum(dim=1)
        return 0.5 * (square_of_sum - sum_of_square).sum(dim=1)

    def forward(self, cats, nums, hist, gaps, lengths):
        emb = self.fields(cats)
        flat = emb.flatten(1)
        session = self.session(hist, gaps, lengths, flat)
        x = torch.cat([flat, self.num_bn(nums), session], dim=1)
        deep = self.deep(x)
        logit = self.fraud_head(torch.cat([self.cross(x), deep], dim=1)).squeeze(1)
        logit = logit + self.fm(emb) + self.linear(cats).sum(dim=(1, 2))
        dwell = self.dwell_head(deep).squeeze(1)
        return logit, dwell
