# Topic of a headline: bag of word vectors, classes are unbalanced
import torch
import torch.nn as nn


class BagOfWords(nn.Module):
    def __init__(self, vocab, topics, dim=20):
        super().__init__()
        self.bag = nn.EmbeddingBag(vocab, dim, mode="mean", padding_idx=0)
        self.out = nn.Linear(dim, topics)

    def forward(self, tokens):
        return self.out(self.bag(tokens))


def make_headlines(n, vocab=300, topics=4):
    topic = torch.multinomial(torch.tensor([0.6, 0.2, 0.15, 0.05]), n, replacement=True)
    words = torch.randint(1, vocab // topics, (n, 8)) + (topic * (vocab // topics))[:, None]
    drop = torch.rand(n, 8) < 0.2
    words[drop] = 0
    return words, topic


def train(model, words, topic, epochs):
    counts = torch.bincount(topic, minlength=4).float()
    to_log_prob = nn.LogSoftmax(dim=1)
    criterion = nn.NLLLoss(weight=counts.sum() / counts.clamp(min=1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for epoch in range(epochs):
        model.train()
        optimizer.zero_grad()
        output = model(words)
        log_prob = to_log_prob(output)
        loss = criterion(log_prob, topic)
        loss.backward()
        optimizer.step()
        print("epoch", epoch, "loss", loss.item())


@torch.inference_mode()
def accuracy(model, words, topic):
    model.eval()
    return (model(words).argmax(dim=1) == topic).float().mean().item()


if __name__ == "__main__":
    torch.manual_seed(12)
    words, topic = make_headlines(200)
    model = BagOfWords(300, 4)
    train(model, words, topic, epochs=6)
    print("accuracy", accuracy(model, words, topic))
