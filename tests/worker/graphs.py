"""Records the graph of a module call, and runs it again as a `torch.fx.GraphModule` to compare."""

from __future__ import annotations

import copy
import os
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn

from fx_lsp.model.graph import Graph
from fx_lsp.model.messages import GraphRequest, TraceReply, TraceRequest
from fx_lsp.model.value import label
from fx_lsp.worker.capture.devices import Devices
from fx_lsp.worker.capture.frames import Frames
from fx_lsp.worker.capture.modules import ModuleStack
from fx_lsp.worker.capture.record import Current
from fx_lsp.worker.capture.recorder import Recorder
from fx_lsp.worker.graph.counting import tensors_in
from fx_lsp.worker.graph.observer import GraphObserver
from tests.worker.tracing import in_child


def graph(folder: Path, source: str, call: str, name: str = "Net", level: str = "operator", **more: Any) -> TraceReply:
    """The reply to a request for the graph of class `name`, whose source is `source`."""
    path = folder / "model.py"
    path.write_text(source)
    wanted = GraphRequest(level, str(path), name)
    return in_child(TraceRequest(1, str(folder), str(path), call, engine="fake", seconds=60, graph=wanted, **more))


def written(found: Graph) -> list[str]:
    """One line for each node: `h.0 | linear = torch._C._nn.linear(x, …) | f32[2, 4] | 12`."""
    lines: list[str] = []
    for node in found.nodes:
        value = label(found.values[node.output]) if node.output >= 0 else "-"
        line = found.spans[node.span].line if node.span >= 0 else "-"
        text = node.code or f"{node.op} {node.target}"
        lines.append(" | ".join((found.scopes[node.scope].path, text, value, str(line))))
    return lines


def difference(
    build: Callable[[], nn.Module], args: Sequence[Any], kwargs: Mapping[str, Any] = {}, level: str = "operator"
) -> str:
    """What a `GraphModule` of the recorded graph does otherwise than the module, in a process of its own; empty when
    its outputs are equal."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            found = _compared(build, args, kwargs, level)
        except BaseException:
            found = traceback.format_exc()
        os.write(writer, found.encode()[-4000:])
        os._exit(0)
    os.close(writer)
    with open(reader, "rb") as pipe:
        found = pipe.read().decode()
    os.waitpid(pid, 0)
    return found


def _compared(build: Callable[[], nn.Module], args: Sequence[Any], kwargs: Mapping[str, Any], level: str) -> str:
    torch.manual_seed(0)
    module = build()
    twin = copy.deepcopy(module)
    current, frames = Current(), Frames({})
    stack = ModuleStack(lambda path: False, current)
    recorder = Recorder(frames, stack, Devices(), current)
    observer = GraphObserver(GraphRequest(level), frames, current)
    stack.install()
    observer.install(recorder, stack)
    given = copy.deepcopy((tuple(args), dict(kwargs)))
    torch.manual_seed(1)
    with recorder:
        expected = module(*given[0], **given[1])
    stack.watcher = None
    recording = current.record.graph
    assert recording is not None, observer.defect
    assert observer.graph() is not None, observer.defect
    recording.graph.lint()
    recording.root = twin
    torch.manual_seed(1)
    with torch.no_grad() if not torch.is_grad_enabled() else torch.enable_grad():
        actual = recording.module()(*args, **kwargs)
    wanted, got = tensors_in(expected), tensors_in(actual)
    if [(one.shape, one.dtype) for one in wanted] != [(one.shape, one.dtype) for one in got]:
        return f"{[one.shape for one in wanted]} became {[one.shape for one in got]}"
    differ = [number for number, (one, other) in enumerate(zip(wanted, got, strict=True)) if not one.equal(other)]
    return f"outputs {differ} differ" if differ else ""
