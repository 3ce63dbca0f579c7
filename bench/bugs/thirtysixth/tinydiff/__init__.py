from .config import CONFIG
from .schedule import GaussianDiffusion
from .unet import UNet
