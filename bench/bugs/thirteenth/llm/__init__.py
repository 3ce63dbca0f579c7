from .configuration import TinyConfig
from .modeling import TinyForCausalLM

__all__ = ["TinyConfig", "TinyForCausalLM"]
