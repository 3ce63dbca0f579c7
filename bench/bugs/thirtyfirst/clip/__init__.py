from clip.model import CLIP
from clip.text import TextEncoder
from clip.vision import ImageEncoder

__all__ = ["CLIP", "ImageEncoder", "TextEncoder"]
