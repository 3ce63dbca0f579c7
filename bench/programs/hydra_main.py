import hydra
import torch
import torch.nn as nn
from omegaconf import DictConfig


class MLP(nn.Module):
    def __init__(self, features, width, depth):
        super().__init__()
        layers = [nn.Linear(features, width)]
        for _ in range(depth):
            layers += [nn.ReLU(), nn.Linear(width, width)]
        self.body = nn.Sequential(*layers)

    def forward(self, x):
        return self.body(x)


@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg: DictConfig):
    model = MLP(cfg.data.features, cfg.model.width, cfg.model.depth)
    x = torch.randn(cfg.data.batch, cfg.data.features)
    out = model(x)
    print(out.shape)


if __name__ == "__main__":
    main()
