from . import convmlp, registry
from .registry import create_model, list_models

__all__ = ["convmlp", "create_model", "list_models", "registry"]
