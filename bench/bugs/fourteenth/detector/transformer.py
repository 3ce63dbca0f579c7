from torch import nn


class DecoderLayer(nn.Module):
    def __init__(self, d_model, nhead, memory_dim, dim_feedforward=128, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(d_model, nhead, dropout=dropout, batch_first=True)
        self.multihead_attn = nn.MultiheadAttention(
            d_model, nhead, dropout=dropout, kdim=memory_dim, vdim=memory_dim, batch_first=True
        )
        self.linear1 = nn.Linear(d_model, dim_feedforward)
        self.linear2 = nn.Linear(dim_feedforward, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)

    def forward(self, tgt, memory, memory_mask=None, query_pos=None):
        q = k = tgt + query_pos
        tgt = self.norm1(tgt + self.self_attn(q, k, value=tgt)[0])
        tgt2, _ = self.multihead_attn(
            query=tgt + query_pos, key=memory, value=memory, key_padding_mask=memory_mask
        )
        tgt = self.norm2(tgt + tgt2)
        tgt2 = self.linear2(self.linear1(tgt).relu())
        return self.norm3(tgt + tgt2)


class Decoder(nn.Module):
    def __init__(self, d_model, nhead, memory_dim, num_layers):
        super().__init__()
        self.layers = nn.ModuleList([DecoderLayer(d_model, nhead, memory_dim) for _ in range(num_layers)])

    def forward(self, tgt, memory, memory_mask, query_pos):
        output = tgt
        for layer in self.layers:
            output = layer(output, memory, memory_mask=memory_mask, query_pos=query_pos)
        return output
