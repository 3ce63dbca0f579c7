"""Declares torchvision's compiled operators where its wheel does not match torch: copied into the benchmark's venv.

`torchvision` fails to import when its compiled library cannot be loaded, since it attaches shape functions to operators
that nobody declared.  A `.pth` file beside this module imports it at every start; it does nothing before torch does.
"""

import importlib.abc
import sys

OPERATORS = (
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
)


class Declaring(importlib.abc.MetaPathFinder):
    """Declares the operators at the moment `torchvision` is looked for, then steps aside."""

    def find_spec(self, fullname, path=None, target=None):
        if fullname == "torchvision":
            sys.meta_path.remove(self)
            self._declare()
        return None

    def _declare(self):
        import torch

        self.library = torch.library.Library("torchvision", "FRAGMENT")
        for schema in OPERATORS:
            try:
                self.library.define(schema)
            except RuntimeError as error:  # the compiled library is there after all
                print(f"torchvision_operators: {error}", file=sys.stderr)
        _keep.append(self)


_keep = []
"""A library's operators vanish with it."""
sys.meta_path.insert(0, Declaring())
