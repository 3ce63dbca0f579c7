"""Data sets of pictures that are not on this disk: black pictures of their size stand for them."""

from __future__ import annotations

import inspect
import sys
from functools import wraps
from types import ModuleType
from typing import Any, Callable, Iterator, Tuple

import torch
from torch.utils import data
from torch.utils.data import dataset, sampler

from fx_lsp.model.datasets import DATASETS
from fx_lsp.worker.engines.fake import real_tensors

MODULE = "torchvision.datasets"
_MADE = "_fx_made_up"
_SIDES = ((256, 256), (240, 272))
"""Of a picture of any size: what is made of all of them alike does not depend on it."""


def install() -> None:
    """From now on, in this process; what is drawn from a data set is drawn with numbers that are known."""
    if not hasattr(sampler.RandomSampler.__iter__, "__wrapped__"):
        order = sampler.RandomSampler.__iter__
        sampler.RandomSampler.__iter__ = _known(order, lambda drawn: iter(list(drawn)))  # type: ignore[method-assign]
        data.random_split = dataset.random_split = _known(dataset.random_split, lambda parts: parts)


def _known(original: Callable[..., Any], taken: Callable[[Any], Any]) -> Any:
    @wraps(original)
    def drawn(*args: Any, **kwargs: Any) -> Any:
        with real_tensors():
            return taken(original(*args, **kwargs))

    return drawn


def stand_in(module: ModuleType) -> None:
    """Let the classes of the module do without their files, in this process."""
    if _MADE in vars(module):
        return
    setattr(module, _MADE, True)
    for name in DATASETS:
        cls = getattr(module, name, None)
        if isinstance(cls, type) and all(hasattr(cls, method) for method in ("__getitem__", "__len__")):
            cls.__init__ = _made(cls.__init__)  # type: ignore[misc]
            cls.__getitem__ = _unless_there(cls.__getitem__, _item)  # type: ignore[attr-defined]
            cls.__len__ = _unless_there(cls.__len__, _length)  # type: ignore[attr-defined]


def _made(original: Callable[..., None]) -> Callable[..., None]:
    signature = inspect.signature(original)

    @wraps(original)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        given = signature.bind(self, *args, **kwargs)
        if given.arguments.get("download"):
            given.arguments["download"] = False
        try:
            original(*given.args, **given.kwargs)
        except (OSError, RuntimeError):
            given.apply_defaults()
            if not _fill(self, given.arguments):
                raise

    return __init__


def _unless_there(original: Callable[..., Any], other: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def method(self: Any, *args: Any) -> Any:
        return other(self, *args) if _MADE in self.__dict__ else original(self, *args)

    return method


def _fill(self: Any, given: Any) -> bool:
    """Whether what the data set gives is known."""
    if not hasattr(self, "transforms"):  # what all of them have was not set yet
        return False
    pictures = next(DATASETS[cls.__name__] for cls in type(self).__mro__ if cls.__name__ in DATASETS)
    training = given.get("train", given.get("split", "train") in ("train", "trainval", "training"))
    self.__dict__[_MADE] = (pictures.size, pictures.train if training else pictures.test, {})
    if pictures.size is None:
        shapes = [list(_shapes(_picture(self, side))) for side in _SIDES]
        if not shapes[0] or shapes[0] != shapes[1]:
            del self.__dict__[_MADE]
            return False
        return True
    if pictures.classes:
        self.classes = [str(number) for number in range(pictures.classes)]
        self.class_to_idx = {name: number for number, name in enumerate(self.classes)}
    if pictures.data:
        sizes = dict(zip("CHW", pictures.size), N=len(self))
        with real_tensors():
            self.data = torch.zeros(1, dtype=torch.uint8).expand(*(sizes[dim] for dim in pictures.data))
            self.targets = torch.zeros(sizes["N"], dtype=torch.int64)
        if "C" in pictures.data:
            self.data, self.targets = self.data.numpy(), self.targets.tolist()
    return True


def _item(self: Any, index: Any) -> Tuple[Any, Any]:
    if not -len(self) <= index < len(self):
        raise IndexError(index)
    size, _, made = self.__dict__[_MADE]
    channels, side = (size[0], size[1:]) if size is not None else (3, _SIDES[index % 2])
    if side not in made:
        made[side] = _picture(self, side, channels)
    return made[side]


def _picture(self: Any, side: Any, channels: int = 3) -> Tuple[Any, Any]:
    images: Any = sys.modules["PIL.Image"]  # which the module imports itself
    picture, target = images.new("L" if channels == 1 else "RGB", (side[1], side[0])), 0
    with real_tensors():  # all are alike, and what is made of one is made once
        return (picture, target) if self.transforms is None else self.transforms(picture, target)


def _length(self: Any) -> int:
    return self.__dict__[_MADE][1]


def _shapes(item: Any) -> Iterator[Any]:
    """Those of the tensors of an item."""
    for one in item if isinstance(item, (tuple, list)) else (item,):
        if isinstance(one, torch.Tensor):
            yield tuple(one.shape)
        elif isinstance(one, (tuple, list)):
            yield from _shapes(one)
