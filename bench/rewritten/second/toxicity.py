import torch
import torch.nn as nn


class ToxicityDetector(nn.Module):
    """Several yes/no questions about the same comment."""

    def __init__(self, vocabulary_size, number_of_questions=3, width=10):
        super().__init__()
        self.embedding = nn.EmbeddingBag(vocabulary_size, width, mode="mean")
        self.dense = nn.Linear(width, width)
        self.answers = nn.Linear(width, number_of_questions)
        self.loss_function = nn.BCELoss()

    def forward(self, comments, labels):
        # a comment is the average of its words
        comment_vectors = torch.relu(self.dense(self.embedding(comments)))

        # the probability of a "yes", question by question
        probabilities = torch.sigmoid(self.answers(comment_vectors))

        # compare with what the annotators said
        return self.loss_function(probabilities, labels)


ToxicityDetector(40)(
    torch.randint(0, 40, (4, 7)),
    torch.randint(0, 2, (4, 3)).to(torch.get_default_dtype()),
)
