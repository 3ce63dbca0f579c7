"""What every interpreter of the benchmark starts with, since this folder is on its path."""

import torchvision_operators  # noqa: F401
