import numpy as np
import torch
import torch.nn as nn


class Reranker(nn.Module):
    """Scores candidates and gives back the embeddings of the best ones, best first."""

    def __init__(self, dim, keep):
        super().__init__()
        self.keep = keep
        self.q = nn.Linear(dim, dim)
        self.refine = nn.Linear(dim, dim)

    def rank(self, score):
        s = score.detach().cpu().numpy()
        order = np.argsort(-s, axis=1)
        return torch.from_numpy(order).to(score.device)

    def forward(self, query, cands):
        score = torch.matmul(cands, self.q(query).unsqueeze(-1)).squeeze(-1)
        order = self.rank(score)[:, :self.keep]

        idx = order.unsqueeze(-1).expand(-1, -1, cands.size(-1))
        best = cands.gather(1, idx)
        return self.refine(best)


Reranker(8, 3)(torch.randn(2, 8), torch.randn(2, 10, 8))
