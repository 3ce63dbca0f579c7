from .config import GameConfig
from .net import build_network

__all__ = ["GameConfig", "build_network"]
