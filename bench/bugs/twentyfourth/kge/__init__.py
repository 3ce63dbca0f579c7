from .models import MODELS, create_model

__all__ = ["MODELS", "create_model"]
