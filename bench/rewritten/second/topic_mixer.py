import torch
import torch.nn as nn
import torch.nn.functional as F


class TopicMixer(nn.Module):
    """Each document becomes a convex combination of topic vectors."""

    def __init__(self, vocabulary_size, number_of_topics=6, topic_width=12):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Linear(vocabulary_size, 32),
            nn.ReLU(),
            nn.Linear(32, number_of_topics),
        )
        self.topic_vectors = nn.Parameter(torch.randn(number_of_topics, topic_width))
        self.decoder = nn.Linear(topic_width, vocabulary_size)

    def forward(self, bag_of_words):
        # relative frequencies instead of raw counts
        total = bag_of_words.sum(dim=1, keepdim=True).clamp(min=1.0)
        topic_logits = self.encoder(bag_of_words / total)

        # the mixing proportions of every document sum to one
        proportions = F.softmax(topic_logits)
        document_vector = proportions @ self.topic_vectors
        return self.decoder(document_vector)


TopicMixer(20)(torch.randint(0, 5, (4, 20)).to(torch.get_default_dtype()))
