"""Stars of a review; two passes under different dropout should agree (R-Drop)."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class ReviewModel(nn.Module):
    def __init__(self, vocab, stars=5, dim=32, alpha=1.0):
        super().__init__()
        self.alpha = alpha
        self.words = nn.EmbeddingBag(vocab, dim)
        self.body = nn.Sequential(
            nn.Linear(dim, dim),
            nn.GELU(),
            nn.Dropout(0.3),
            nn.Linear(dim, stars),
        )

    def forward(self, tokens):
        return self.body(self.words(tokens))

    def loss(self, tokens, stars):
        bag = self.words(tokens)
        first = F.log_softmax(self.body(bag), dim=-1)
        second = F.log_softmax(self.body(bag), dim=-1)
        nll = -(first + second).gather(1, stars[:, None]).mean() / 2
        there = F.kl_div(first, second, log_target=True, reduction="batchmean")
        back = F.kl_div(second, first, log_target=True, reduction="batchmean")
        return nll + self.alpha * (there + back) / 2


def main():
    torch.manual_seed(88)
    tokens = torch.randint(0, 500, (64, 20))
    stars = tokens[:, 0] % 5
    model = ReviewModel(500)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(5):
        model.train()
        loss = model.loss(tokens, stars)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        model.eval()
        with torch.no_grad():
            right = (model(tokens).argmax(dim=-1) == stars).float().mean()
        print(f"{epoch} loss {loss.item():.3f} right {right.item():.2f}")


if __name__ == "__main__":
    main()
