"""What code asks of an accelerator besides tensors, on a machine that has none: to wait, to order work, to measure."""

from __future__ import annotations

from typing import Any, Callable, NoReturn

import torch

_NOTHING = (
    "synchronize set_device empty_cache ipc_collect set_stream set_sync_debug_mode set_rng_state set_rng_state_all "
    "set_per_process_memory_fraction reset_peak_memory_stats reset_accumulated_memory_stats "
    "reset_max_memory_allocated reset_max_memory_cached _exchange_device _maybe_exchange_device"
)
"""Functions of `torch.cuda`, and of other accelerators, that have no effect on what is computed."""
_MARKS = "range_push range_pop range_start range_end mark"
_TYPES = "Float Double Half BFloat16 Long Int Short Char Byte Bool"
LACKED = "no accelerator is used here"
"""What is said where code asks what only an accelerator could tell, such as its name."""


class Done:
    """What a stream or an event of an accelerator is here: all work is done by the time it is waited for."""

    cuda_stream = stream_id = device_index = 0
    cuda_event = None
    device = torch.device("cpu")

    def wait(self, stream: Any = None) -> None:
        """Nothing is left to wait for."""

    record = synchronize = wait

    def wait_stream(self, stream: Any) -> None:
        """Nothing is left to wait for."""

    wait_event = wait_stream

    def record_event(self, event: Any = None) -> Any:
        """The event, a new one where none is given."""
        return Done() if event is None else event

    def query(self) -> bool:
        """All work is done."""
        return True

    def elapsed_time(self, end: Any) -> float:
        """Milliseconds; one, since code divides by it."""
        return 1.0

    def __enter__(self) -> "Done":
        return self

    def __exit__(self, *raised: Any) -> None:
        """What it raises is not caught."""


def without_streams() -> None:
    """Let that pass; what only an accelerator can tell is refused in one wording, whatever torch was built for."""
    cuda: Any = torch.cuda
    for owner in (cuda, torch.mps, getattr(torch, "xpu", None)):
        for name in (one for one in _NOTHING.split() if hasattr(owner, one)):
            setattr(owner, name, _answering(name))
    for name in _MARKS.split():
        setattr(cuda.nvtx, name, _answering(name))
    for name in _TYPES.split():
        setattr(cuda, f"{name}Tensor", getattr(torch, f"{name}Tensor"))
    for name in ("Stream", "ExternalStream", "Event"):
        setattr(cuda, name, _making(getattr(cuda, name)))
    for name in ("stream", "current_stream", "default_stream"):
        setattr(cuda, name, _answering(name, Done))
    cuda.current_device = lambda: 0
    cuda._lazy_init = _refuse
    torch.Tensor.record_stream = _answering("record_stream")  # type: ignore[assignment]


def _answering(name: str, answer: Callable[[], Any] = lambda: None) -> Callable[..., Any]:
    """A function of its own for each name: torch's compiler refuses one object under two names."""

    def answered(*args: Any, **kwargs: Any) -> Any:
        return answer()

    answered.__name__ = name
    return answered


def _making(kind: type) -> type:
    """Of the same kind, since TorchDynamo looks for that, but for what it makes."""
    return type(kind.__name__, (kind,), {"__new__": lambda kind, *args, **kwargs: Done()})


def _refuse() -> NoReturn:
    raise RuntimeError(LACKED)
