"""A module file that a hostile run could have written: it may compute, and reach nothing."""

from __future__ import annotations

import math
import time
from pathlib import Path

import pytest

from fx_lsp.model.graph_rewrite import GraphRewrite, Rewritten
from fx_lsp.model.messages import TraceReply, TraceRequest
from fx_lsp.model.span import Span
from fx_lsp.server.vetted import vetted
from fx_lsp.server.vetted_module import MAX_TEXT, UNFIT, is_module_file

FILE = '''"""Doc."""

import math
import operator
import torch
from torch import device, inf

ROWS = (("a.0", "b", 1e-05, 0),)


class Net(torch.nn.Module):
    # fx: Net()(f32[2])
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 4, (3, 3), dtype=torch.bfloat16)
        put(self, "_a.0", torch.nn.Parameter(torch.zeros([2])))
        self.eval()

    def forward(self, x):
        _a_0 = getattr(self._a, "0");  x = None
        y = torch.nn.functional.relu(_a_0) + torch.ops.aten.add.Tensor(_a_0, 1) * inf
        z = y.view(y.shape[0], -1)[..., None].to(torch.float32, memory_format=torch.channels_last)
        torch._assert(x.shape[0] == 1, "") or torch.Tensor.add(x, self.f_conv(self.encoder.layers._0.ag_layer(x)))
        return torch._C._nn.gelu(operator.add(z, math.pi), device=device(type="cpu"))

    def _load_from_state_dict(self, state_dict, prefix, *args):
        for row in ROWS:
            put(state_dict, prefix, *row)
        super()._load_from_state_dict(state_dict, prefix, *args)


def put(root: torch.nn.Module, name: "Dict[str, torch.Tensor]", item: object, kept: bool = True) -> None:
    *path, last = name.split(".")
    if isinstance(item, torch.nn.Parameter):
        root.register_parameter(last, item)
'''
BODY = "        self.eval()\n"


def test_what_is_written_is_let_through() -> None:
    assert is_module_file(FILE)


@pytest.mark.parametrize(
    "line",
    [
        "open('x')",
        "exec('x')",
        "eval('x')",
        "__import__('os')",
        "import os",
        "import torch.hub",
        "import torch as t",
        "from os import system",
        "from torch import os",
        "from torch import hub as device",
        "torch.os.system('x')",
        "torch.load('x')",
        "torch.save(self, 'x')",
        "torch.hub.load('x', 'y')",
        "torch.ops.load_library('x')",
        "torch.from_file('x', True, 1)",
        "torch.nn.functional.torch.os.system('x')",
        "torch.compile(self)",
        "t = torch",
        "t = torch.os",
        "t = torch.nn",
        "t = (torch.nn,)",
        "t = torch.load",
        "t = torch.nn.functional.relu",
        "torch.nn = 1",
        "torch.relu = print",
        "getattr(torch, 'os')",
        "getattr(self, name)",
        "getattr(self, '__class__')",
        "getattr(self, 'x', torch)",
        "g = getattr",
        "open = open",
        "f = lambda exec: exec",
        "[compile for compile in self]",
        "__builtins__ = __builtins__",
        "torch = math",
        "setattr(self, 'x', 1)",
        "type(self)",
        "vars(self)",
        "globals()",
        "self.__class__",
        "self.forward.__globals__",
        "super().__reduce__()",
        "self._call_impl(1)",
        "self._C",
        "self.weight.numpy().tofile('x')",
        "self.weight.untyped_storage()",
        "self.weight._typed_storage()",
        "operator.attrgetter('x')",
        "operator.methodcaller('x')",
        "torch.get_device_module('cpu').torch.os.system('x')",
        "torch.__getattr__('onnx')",
        "torch.autocast('x').custom_device_mod",
        "torch.PyTorchFileWriter('x')",
        "torch.CompilationUnit('def f(x): torch.save(x)')",
        "torch.set_default_device('x')",
        "torch.ops.aten.add.__init__.__globals__.get('sys')",
        "torch.ops.aten.add.default.py_impl('x')",
        "operator.__getattr__('x')",
        "torch.Tensor.numpy(self).dump('x')",
        "torch.Tensor.__array__(self).dump('x')",
        "torch.Tensor.__getattribute__(self, '__class__')",
        "torch.Tensor.__reduce_ex__(self, 2)",
        "self._reduce_ex_internal(2)",
        "self.weight.storage_type()",
        "(x for x in self).gi_frame.f_builtins['exec']('x')",
        "(x for x in self).gi_code",
        "[x.f_globals for x in self]",
        "input('x')",
        "lambda input: input('x')",
        "with x: pass",
        "try: pass\n        except: pass",
        "global x",
        "del self",
        "raise x",
        "while True: pass",
        "match x:\n            case _: pass",
        "lambda: (yield)",
        "\u202e",
        "x = '\u200b'",
        "x ==",
    ],
)
def test_what_does_more_than_compute(line: str) -> None:
    assert not is_module_file(FILE.replace(BODY, f"{BODY}        {line}\n"))


def test_long_chains_take_no_longer_than_they_are_long() -> None:
    chains = "\n".join(f"{' ' * 8}self{'.a' * 1000}" for _ in range(400))
    start = time.process_time()
    assert is_module_file(FILE.replace(BODY, f"{BODY}{chains}\n"))
    assert time.process_time() - start < 15


def test_files_that_take_long_to_parse() -> None:
    assert not is_module_file("x\n" * (MAX_TEXT // 2 + 1))


@pytest.mark.parametrize(
    "name", ["_hidden", "__del__", "__getattr__", "__init_subclass__", "torch", "getattr", "super"]
)
def test_names_that_python_or_torch_call(name: str) -> None:
    assert not is_module_file(f"{FILE}\n\ndef {name}(x):\n    return x\n")
    assert not is_module_file(FILE.replace("def forward", f"def {name}"))


def test_an_answer(tmp_path: Path) -> None:
    model = tmp_path / "model.py"
    model.write_text("x = 1\n")
    asked = TraceRequest(1, str(tmp_path), str(model), "x", rewrite=GraphRewrite("fold", str(model), "Net"))
    inside, outside = (Span(str(tmp_path / name), 1, 0, 1, 1) for name in ("model.py", "../secret.py"))
    good = Rewritten(FILE, FILE, made=("a\x1b[31m",) * 9999, checks=-1, difference=math.inf, dtype="x", span=inside)
    found = vetted(TraceReply(1, rewritten=good), asked).rewritten
    assert found is not None
    assert (found.before, found.after, found.why, found.span) == (FILE, FILE, "", inside)
    assert (found.checks, found.dtype, found.made[0], len(found.made) < 9999) == (0, "f64", "a␛[31m", True)
    assert vetted(TraceReply(1, rewritten=good), TraceRequest(1, str(tmp_path), str(model), "x")).rewritten is None
    for bad in (Rewritten(FILE, "import os\n"), Rewritten("import os\n", FILE), Rewritten(FILE, ""), Rewritten()):
        found = vetted(TraceReply(1, rewritten=bad), asked).rewritten
        assert found is not None
        assert (found.before, found.after, found.why) == ("", "", UNFIT)
    said = vetted(TraceReply(1, rewritten=Rewritten(FILE, FILE, why="a\x1b\nb" * 9999, span=outside)), asked).rewritten
    assert said is not None
    assert (said.before, said.after, said.span) == ("", "", None)
    assert said.why.startswith("a␛ b")
    assert len(said.why) < 9999
