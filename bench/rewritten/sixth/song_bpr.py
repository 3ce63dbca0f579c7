import torch
import torch.nn as nn


class SongRecommender(nn.Module):
    def __init__(self, n_users, n_songs, factors=16):
        super().__init__()
        self.users = nn.Embedding(n_users, factors)
        self.songs = nn.Embedding(n_songs, factors)
        self.popularity = nn.Embedding(n_songs, 1)
        for table in (self.users, self.songs):
            nn.init.normal_(table.weight, std=0.05)
        nn.init.zeros_(self.popularity.weight)

    def score(self, user, song):
        return (self.users(user) * self.songs(song)).sum(-1) + self.popularity(song).squeeze(-1)

    def prefers(self, user, heard, skipped):
        """Probability that the user would take the song that they heard."""
        return torch.sigmoid(self.score(user, heard) - self.score(user, skipped))

    def forward(self, user, heard, skipped):
        margin = self.score(user, heard) - self.score(user, skipped)
        chance = margin.sigmoid()
        log_chance = chance.log()
        return log_chance.neg().mean()


def plays(n_users, n_songs, n):
    user = torch.randint(n_users, (n,))
    heard = torch.randint(n_songs // 2, (n,))
    skipped = torch.randint(n_songs, (n,))
    return user, heard, skipped


if __name__ == "__main__":
    torch.manual_seed(77)
    model = SongRecommender(40, 100)
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)
    data = plays(40, 100, 600)
    for epoch in range(4):
        order = torch.randperm(600)
        for idx in order.split(100):
            user, heard, skipped = (column[idx] for column in data)
            loss = model(user, heard, skipped)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            right = (model.prefers(*data) > 0.5).float().mean()
        print(f"epoch {epoch}  loss {loss.item():.4f}  in the right order {right.item():.3f}")
