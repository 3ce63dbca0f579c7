import math

import torch
import torch.nn as nn
import torch.nn.functional as functional


class DecayingMemory(nn.Module):
    """
    A causal layer in which early positions speak softly: the probability that
    falls on the future is thrown away rather than given to the past.
    """

    def __init__(self, model_width, number_of_heads=2):
        super().__init__()
        self.number_of_heads = number_of_heads
        self.head_width = model_width // number_of_heads
        self.query_key_value = nn.Linear(model_width, 3 * model_width)
        self.output = nn.Linear(model_width, model_width)

    def split_heads(self, tensor):
        return tensor.unflatten(-1, (self.number_of_heads, self.head_width)).transpose(1, 2)

    def forward(self, sequence):
        length = sequence.shape[1]
        query, key, value = self.query_key_value(sequence).chunk(3, dim=-1)
        query, key, value = map(self.split_heads, (query, key, value))

        scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(self.head_width)
        probabilities = functional.softmax(scores, dim=-1)

        # only the past may contribute
        visible = torch.ones(length, length, dtype=scores.dtype, device=scores.device).tril()
        probabilities = probabilities * visible
        context = torch.matmul(probabilities, value)

        return self.output(context.transpose(1, 2).flatten(start_dim=2))


DecayingMemory(16)(torch.randn(2, 6, 16))
