"""Accelerators that a model asks for on a machine without one: traced as `cpu`, remembered as asked."""

from __future__ import annotations

import linecache
import re
import sys
import traceback
from typing import Any, Callable, Dict, Optional, Tuple

import torch
from torch.overrides import TorchFunctionMode

from fx_lsp.worker.capture.frames import message_of
from fx_lsp.worker.capture.streams import LACKED, without_streams

ACCELERATORS = ("cuda", "mps", "xpu", "hpu", "xla", "npu", "mtia")
_MOVES = {torch.Tensor.cuda: "cuda", torch.Tensor.xpu: "xpu"}
_STAYS = {torch.Tensor.pin_memory, torch.Tensor.share_memory_}
"""Where the memory of a tensor lies is nobody's business here, and a run may write no shared files."""
_TYPES = re.compile(r"^torch\.(cuda|xpu)\.(?=\w+Tensor$)")
_LACKING = re.compile(
    rf"{LACKED}|not linked with support for|Torch not compiled with|Cannot access accelerator"
    rf"|at start of device string: ({'|'.join(ACCELERATORS)})\b"
    r"|with arguments from the '(CUDA|MPS|XLA|XPU|HPU)'|No module named 'torch\.\w+pu'|CUDA in forked|without CUDA"
    r"|requires CUDA|with CUDA enabled"
)
"""What torch says of devices that are not here, or of a kind that it does not know (torch 2.13)."""
_ASKING = re.compile(r"\.is_cuda\b|\b(is_available|device_count)\(\)|device\.type\b")
"""What code asks before it says that it needs one."""
_NOTING = "_ensureCUDADeviceGuardSet"
FLEX, _REFUSING = "torch.nn.attention.flex_attention", "_validate_device"


class Devices:
    """Rewrites device arguments of torch functions."""

    def __init__(self) -> None:
        self.asked: Dict[str, None] = {}

    @property
    def meant(self) -> bool:
        """Whether the code is for one: it asked for it, or torch was built for it."""
        return bool(self.asked) or torch.backends.cuda.is_built()

    def call(self, func: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Any:
        """`func(*args, **kwargs)` with every accelerator replaced by the processor."""
        if func in _MOVES:
            self.asked[_MOVES[func]] = None
            return args[0]
        if func in _STAYS:
            return args[0]
        if func is torch.Tensor.type and len(args) > 1:
            args = (args[0], _type_here(args[1]), *args[2:])
        if "device" in kwargs:
            kwargs = {**kwargs, "device": self.replaced(kwargs["device"])}
        if func is torch.Tensor.to and len(args) > 1:
            args = (args[0], self.replaced(args[1]), *args[2:])
        return func(*args, **kwargs)

    def replaced(self, device: Any) -> Any:
        """`cpu` for an accelerator, anything else as it is."""
        kind = device.type if isinstance(device, torch.device) else device
        if isinstance(kind, str) and kind.split(":")[0] in ACCELERATORS:
            self.asked[kind.split(":")[0]] = None
            return torch.device("cpu")
        if type(device) is int:  # an ordinal of the current accelerator
            self.asked["cuda"] = None
            return torch.device("cpu")
        return device


class OnProcessor(TorchFunctionMode):
    """Every accelerator is the processor."""

    def __init__(self, devices: Optional[Devices] = None) -> None:
        super().__init__()
        self._devices = devices or Devices()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run it here."""
        return self._devices.call(func, args, kwargs or {})


def lacks_accelerator(error: BaseException) -> bool:
    """Whether torch says that there is none to put a tensor on, or the code, which asked for one just before."""
    if error.__traceback__ is not None:
        frame, line = [*traceback.walk_tb(error.__traceback__)][-1]
        before, here = (linecache.getline(frame.f_code.co_filename, one).strip() for one in (line - 1, line))
        asked = here.partition(",")[0] if here.startswith("assert") else before if here.startswith("raise") else ""
        if _ASKING.search(asked.partition("#")[0]):
            return True
    return bool(_LACKING.search(message_of(error)))


def without_device_threads() -> None:
    """Keep torch from taking note of eight devices that are not there, before any tensor is fake.

    It does so where it was built for CUDA and finds none (torch 2.9 to 2.13), and a backward pass then starts a thread
    for each, which a model may not.
    """
    setattr(torch._C, _NOTING, lambda: None)  # on others it is not looked for


def without_accelerator(devices: Devices) -> None:
    """Let pass what code says to an accelerator on a machine that has none, and what the processor lacks of
    `flex_attention` where one is meant: it refuses inputs with gradients there (torch 2.5 to 2.13)."""
    if torch.cuda.is_available():
        return
    flex: Any = sys.modules.get(FLEX)
    refusing = getattr(flex, _REFUSING, None)
    if refusing is not None:
        setattr(flex, _REFUSING, lambda *given: None if devices.meant else refusing(*given))
    nn_functions: Any = torch._C._nn
    nn_functions._parse_to = _of_ordinals(nn_functions._parse_to)
    library: Any = torch
    library.set_default_device = _setting(torch.set_default_device, devices.replaced)
    library.set_default_tensor_type = _setting(torch.set_default_tensor_type, _type_here)
    library.Generator = _made_here(devices, torch.Generator)
    without_streams()


def _of_ordinals(parse: Callable[..., Any]) -> Callable[..., Any]:
    """What `nn.Module.to` reads its arguments with; it asks which accelerator is the current one."""

    def parsed(*args: Any, **kwargs: Any) -> Any:
        if args and type(args[0]) is int:
            args = (torch.device("cuda", args[0]), *args[1:])
        return parse(*args, **kwargs)

    return parsed


def _setting(setting: Callable[[Any], None], here: Callable[[Any], Any]) -> Callable[[Any], None]:
    """Sets what stands here for what it is given."""

    def set_default(value: Any) -> None:
        return setting(here(value))

    return set_default


def _type_here(kind: Any) -> Any:
    """A type of tensors on the processor for the name of one on an accelerator."""
    return _TYPES.sub("torch.", kind) if isinstance(kind, str) else kind


def _made_here(devices: Devices, kind: Any) -> Any:
    """Generators of random numbers; those that torch makes itself are of the same kind."""

    def made(cls: Any, device: Any = "cpu") -> Any:
        return kind.__new__(cls, devices.replaced(device))

    def is_one(cls: Any, one: Any) -> bool:
        return isinstance(one, kind) if cls is here else type.__instancecheck__(cls, one)

    meta = type("Kind", (type(kind),), {"__instancecheck__": is_one})
    here = meta(kind.__name__, (kind,), {"__new__": made, "__module__": kind.__module__})
    return here
