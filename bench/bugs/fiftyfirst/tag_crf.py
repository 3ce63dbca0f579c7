import torch
from torch import nn


class LinearChainCRF(nn.Module):
    """Scores of whole sequences of tags; `mask` is True at the words that are there."""

    def __init__(self, n_tags):
        super().__init__()
        self.start = nn.Parameter(0.1 * torch.randn(n_tags))
        self.end = nn.Parameter(0.1 * torch.randn(n_tags))
        self.trans = nn.Parameter(0.1 * torch.randn(n_tags, n_tags))

    def gold_score(self, emissions, tags, mask):
        each = emissions.gather(2, tags.unsqueeze(2)).squeeze(2)
        moves = self.trans[tags[:, :-1], tags[:, 1:]]
        last = tags.gather(1, mask.sum(1, keepdim=True) - 1).squeeze(1)
        total = (each * mask).sum(1) + (moves * mask[:, 1:]).sum(1)
        return total + self.start[tags[:, 0]] + self.end[last]

    def log_partition(self, emissions, mask):
        alpha = self.start + emissions[:, 0]
        for t in range(1, emissions.size(1)):
            paths = alpha.unsqueeze(2) + self.trans + emissions[:, t].unsqueeze(1)
            alpha = torch.where(mask[:, t].unsqueeze(1), torch.logsumexp(paths, dim=1), alpha)
        return torch.logsumexp(alpha + self.end, dim=1)

    def forward(self, emissions, tags, mask):
        return (self.log_partition(emissions, mask) - self.gold_score(emissions, tags, mask)).mean()

    @torch.no_grad()
    def viterbi(self, emissions, mask):
        B, T, K = emissions.shape
        best = self.start + emissions[:, 0]
        stay = torch.arange(K).expand(B, K)
        back = []
        for t in range(1, T):
            score, source = (best.unsqueeze(2) + self.trans).max(dim=1)
            here = mask[:, t, None]
            best = torch.where(here, score + emissions[:, t], best)
            back.append(torch.where(here, source, stay))
        tag = (best + self.end).argmax(dim=1, keepdim=True)
        path = [tag]
        for source in reversed(back):
            tag = source.gather(1, tag)
            path.append(tag)
        return torch.cat(path[::-1], dim=1)
