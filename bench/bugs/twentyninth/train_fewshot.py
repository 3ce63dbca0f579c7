import torch
import torch.nn.functional as F
from fewshot.data import episodes
from fewshot.model import FewShot


def main(way=5, shot=2, query=3):
    model = FewShot(way=way, shot=shot)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for images, _ in episodes(way, shot, query):
        relation, adapted = model(images)
        targets = torch.arange(way).repeat_interleave(query)
        onehot = F.one_hot(targets, way).float()
        loss = F.mse_loss(relation.sigmoid(), onehot) + F.cross_entropy(adapted, targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        accuracy = (relation.argmax(dim=1) == targets).float().mean()
        print(loss.item(), accuracy.item())


if __name__ == "__main__":
    main()
