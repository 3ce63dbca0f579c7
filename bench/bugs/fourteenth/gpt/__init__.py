from .configuration import GPTConfig
from .model import GPT
