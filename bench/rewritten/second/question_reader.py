import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class QuestionReader(nn.Module):
    """A question looks at a passage; padded passage positions are ignored."""

    def __init__(self, hidden_size):
        super().__init__()
        self.hidden_size = hidden_size
        self.query_layer = nn.Linear(hidden_size, hidden_size)
        self.key_value_layer = nn.Linear(hidden_size, 2 * hidden_size)
        self.normalise = nn.Softmax(dim=-1)
        self.output_layer = nn.Linear(2 * hidden_size, hidden_size)

    def attend(self, query, key, value, additive_mask):
        # 1. the length of the query is tamed before the comparison
        query = query / math.sqrt(self.hidden_size)

        # 2. compare every question word with every passage word
        similarity = torch.bmm(query, key.permute(0, 2, 1))

        # 3. padding receives minus infinity, that is, weight zero
        similarity = similarity + additive_mask

        # 4. average the passage with these weights
        return torch.bmm(self.normalise(similarity), value)

    def forward(self, question, passage, passage_is_padding):
        query = self.query_layer(question)
        key, value = self.key_value_layer(passage).chunk(2, dim=-1)

        additive_mask = torch.zeros_like(passage_is_padding, dtype=passage.dtype)
        additive_mask = additive_mask.masked_fill(passage_is_padding, float("-inf"))

        summary = self.attend(query, key, value, additive_mask.unsqueeze(1))
        return torch.tanh(self.output_layer(torch.cat([question, summary], dim=-1)))


QuestionReader(16)(
    torch.randn(2, 4, 16),
    torch.randn(2, 6, 16),
    torch.tensor([[False] * 6, [False] * 4 + [True] * 2]),
)
