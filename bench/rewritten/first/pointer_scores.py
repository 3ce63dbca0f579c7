import torch
from torch import nn, Tensor
from torch.nn import functional as F


class PointerDecoder(nn.Module):
    """Points from each decoder step at one of the encoder positions."""

    def __init__(self, hidden: int):
        super().__init__()
        self.enc_proj = nn.Linear(hidden, hidden, bias=False)
        self.dec_proj = nn.Linear(hidden, hidden, bias=False)
        self.v = nn.Linear(hidden, 1, bias=False)

    def forward(self, enc: Tensor, dec: Tensor) -> Tensor:
        # additive (Bahdanau) scores: B x T_dec x T_enc
        e = self.enc_proj(enc).unsqueeze(1)
        d = self.dec_proj(dec).unsqueeze(2)
        scores = self.v(torch.tanh(e + d)).squeeze(-1)

        # distribution over the encoder positions
        pointers = F.softmax(scores, 0)

        context = torch.einsum("bqk,bkc->bqc", pointers, enc)
        return torch.cat((dec, context), dim=-1)


PointerDecoder(16)(torch.randn(3, 7, 16), torch.randn(3, 4, 16))
