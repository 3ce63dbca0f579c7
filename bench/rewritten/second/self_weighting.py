import torch
import torch.nn as nn


class SelfWeightedAffinity(nn.Module):
    """Columns of the affinity count as much as a point resembles itself."""

    def __init__(self, feature_width, embedding_width=8):
        super().__init__()
        self.embed = nn.Sequential(
            nn.Linear(feature_width, embedding_width),
            nn.Tanh(),
        )
        self.metric = nn.Parameter(torch.eye(embedding_width))

    def affinity(self, points):
        embedded = self.embed(points)
        return embedded @ self.metric @ embedded.transpose(1, 2)

    def forward(self, points):
        similarities = self.affinity(points)

        # every column j is multiplied by the self-similarity of point j
        weighted = torch.einsum("bij,bjj->bij", similarities, similarities)

        mixing = torch.softmax(weighted, dim=-1)
        return torch.matmul(mixing, points)


SelfWeightedAffinity(6)(torch.randn(2, 5, 6))
