import torch

from mobile.config import STAGES
from mobile.net import Distiller, MobileNet

if __name__ == "__main__":
    distiller = Distiller(MobileNet(), MobileNet(stages=STAGES[:3]))
    print(distiller(torch.randn(2, 3, 64, 64), torch.randint(0, 100, (2,))))
