from .model import SeriesConfig, SeriesNet

__all__ = ["SeriesConfig", "SeriesNet"]
