from .model import TabularMoE

__all__ = ["TabularMoE"]
