"""A file that was imported before it was edited: what runs of it is what runs of the edited file, or nothing does."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from fx_lsp.model.comparison import Overlay
from fx_lsp.model.messages import Ahead, TraceReply, TraceRequest
from fx_lsp.worker.prepared import Prepared
from fx_lsp.worker.standing import Standing, Unfit

from .tracing import in_child

MODEL = """
import functools
import torch
from torch import nn
from layers import Block, double

FACTOR = 2
REGISTRY = {}


def register(cls):
    REGISTRY[cls.__name__] = cls
    return cls


def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)
    return wrapper


@register
class Net(nn.Module):
    \"\"\"One.\"\"\"

    width = 8

    def __init__(self, width=8):
        super().__init__()
        self.block = Block(width)
        self.out = nn.Linear(width, 4)

    @logged
    def forward(self, x, scale=1):
        y = self.block(x)
        return self.out(double(y)) * scale

    @property
    def size(self):
        return self.width


def last(x):
    return x[:, -1]
"""
LAYERS = """
import torch
from torch import nn


def size():
    return 8


DEFAULT = size()


class Block(nn.Module):
    def __init__(self, width=DEFAULT):
        super().__init__()
        self.lin = nn.Linear(width, width)

    def forward(self, x):
        return self.lin(x).relu()


def double(x):
    return 2 * x
"""
CALL = "last(REGISTRY['Net']()(torch.zeros(2, 5, 8)))"
OLD = time.time() - 100


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("model.py", MODEL), ("layers.py", LAYERS), ("sizes.txt", "8")):
        write(tmp_path / name, text)
    return tmp_path


def write(path: Path, text: str) -> None:
    path.write_text(text)
    os.utime(path, (OLD, OLD))


def request(folder: Path, **unsaved: str) -> TraceRequest:
    overlays = tuple(Overlay(str(folder / f"{name}.py"), text) for name, text in unsaved.items())
    return TraceRequest(1, str(folder), str(folder / "model.py"), CALL, overlays=overlays)


def stands(meanwhile: Callable[[], object] = lambda: None) -> Callable[[TraceRequest], TraceReply]:
    """A run of a file that was imported as it is on disk; `fallback` says if it does not fit."""

    def run(asked: TraceRequest) -> TraceReply:
        standing = Standing(Ahead(asked.root, asked.scope), Prepared())
        meanwhile()
        return standing.reply(asked) if standing.fits(asked) else TraceReply(1, fallback="does not fit")

    return run


def facts(reply: TraceReply) -> TraceReply:
    return dataclasses.replace(reply, ms=0, import_ms=0, vain="", dispatched="", imported="")


Y, FORWARD = "        y = self.block(x)\n", "        y = self.block(x)\n        z = y.sum(-1)\n"
INNER = "        y = (lambda a: self.block(a)[:, 1:])(x)\n"
FITTING = {
    "a line more": (MODEL.replace(Y, FORWARD), LAYERS),
    "a line less": (MODEL.replace(Y, "").replace("double(y)", "double(x)"), LAYERS),
    "a method behind it": (MODEL.replace("return self.width", "a = self.width\n        return a"), LAYERS),
    "a function": (MODEL.replace("return x[:, -1]", "z = x[:, -1]\n    return z.unsqueeze(0)"), LAYERS),
    "a constructor": (MODEL.replace("nn.Linear(width, 4)", "nn.Linear(width, 16)"), LAYERS),
    "an error": (MODEL.replace("self.out(double(y))", "self.out(y[..., 1:])"), LAYERS),
    "a comment above": (MODEL.replace("def last", "# two\ndef last"), LAYERS),
    "another file": (MODEL, LAYERS.replace("return 2 * x", "y = 3 * x\n    return y")),
    "both": (MODEL.replace("* scale", "* scale + 1"), LAYERS.replace(".relu()", ".relu().mean(1, keepdim=True)")),
    "an inner function": (MODEL.replace(Y, INNER), LAYERS),
    "nothing": (MODEL, LAYERS),
}


@pytest.mark.parametrize(("model", "layers"), FITTING.values(), ids=list(FITTING))
def test_other_bodies_run_as_if_they_were_imported(folder: Path, model: str, layers: str) -> None:
    asked = request(folder, model=model, layers=layers)
    assert facts(in_child(asked, stands())) == facts(in_child(asked))


OTHERS = {
    "a constant": MODEL.replace("FACTOR = 2", "FACTOR = 3"),
    "a constant of the class": MODEL.replace("width = 8", "width = 16"),
    "a default": MODEL.replace("scale=1", "scale=2"),
    "a parameter": MODEL.replace("def forward(self, x, scale=1)", "def forward(self, x, scale=1, mask=None)"),
    "a base": MODEL.replace("class Net(nn.Module)", "class Net(nn.Sequential)"),
    "a decorator": MODEL.replace("    @logged\n", ""),
    "a decorator's own body": MODEL.replace("return function(*args, **kwargs)", "return function(*args, **kwargs)[0]"),
    "what the import called": MODEL.replace("REGISTRY[cls.__name__] = cls", "REGISTRY['Net'] = cls"),
    "a method more": MODEL.replace("    @property", "    def more(self):\n        return 1\n\n    @property"),
    "a method less": MODEL.replace("    @property\n    def size(self):\n        return self.width\n", ""),
    "a name": MODEL.replace("def size", "def sizes"),
    "what documents it": MODEL.replace('"""One."""', '"""Two."""'),
    "what it closes over": MODEL.replace("y = self.block(x)", "y = super().forward(x)"),
    "a generator": MODEL.replace("return self.width", "yield self.width"),
    "an import": MODEL.replace("from torch import nn\n", "from torch import nn, fx\n"),
    "a statement at the end": MODEL + "\nNet.width = 5\n",
    "a syntax error": MODEL.replace("y = self.block(x)", "y = self.block(x"),
}


@pytest.mark.parametrize("model", OTHERS.values(), ids=list(OTHERS))
def test_whatever_else_differs_does_not_fit(folder: Path, model: str) -> None:
    assert model != MODEL
    assert in_child(request(folder, model=model), stands()).fallback == "does not fit"


def test_what_the_import_called_in_another_file_does_not_fit(folder: Path) -> None:
    layers = LAYERS.replace("return 8", "return 16")
    assert in_child(request(folder, layers=layers), stands()).fallback == "does not fit"


def test_a_file_that_was_saved_meanwhile_is_read(folder: Path) -> None:
    edited = MODEL.replace("return x[:, -1]", "return x[:, -1:]")
    reply = in_child(request(folder), stands(lambda: (folder / "model.py").write_text(edited)))
    (folder / "model.py").write_text(edited)
    assert facts(reply) == facts(in_child(request(folder)))


def test_data_that_were_read_and_are_others_do_not_fit(folder: Path) -> None:
    write(folder / "layers.py", "WIDTH = int(open('sizes.txt').read())\n" + LAYERS)
    os.chdir(folder)
    assert in_child(request(folder), stands()).fallback != "does not fit"
    changed = stands(lambda: (folder / "sizes.txt").write_text("16"))
    assert in_child(request(folder), changed).fallback == "does not fit"


def test_a_module_that_appears_does_not_fit(folder: Path) -> None:
    write(folder / "model.py", "import tabnanny\n" + MODEL)
    appears = stands(lambda: (folder / "tabnanny.py").write_text("raise ValueError"))
    assert in_child(request(folder), appears).fallback == "does not fit"


def test_code_that_was_made_of_a_function_does_not_fit(folder: Path) -> None:
    derived = "\nimport types\ncopied = types.FunctionType(last.__code__.replace(co_name='other'), globals())\n"
    write(folder / "model.py", MODEL + derived)
    edited = (MODEL + derived).replace("return x[:, -1]", "return x[:, -1:]")
    assert in_child(request(folder, model=edited), stands()).fallback == "does not fit"


def test_functions_that_the_collector_does_not_show_do_not_fit(folder: Path) -> None:
    write(folder / "model.py", MODEL + "\nimport gc\ngc.freeze()\n")
    edited = MODEL.replace("return x[:, -1]", "return x[:, -1:]") + "\nimport gc\ngc.freeze()\n"
    assert in_child(request(folder, model=edited), stands()).fallback == "does not fit"


def test_a_file_that_has_just_been_written_is_not_taken(folder: Path) -> None:
    def run(asked: TraceRequest) -> TraceReply:
        soon = time.time() + 100
        os.utime(folder / "layers.py", (soon, soon))
        try:
            Standing(Ahead(asked.root, asked.scope), Prepared())
        except Unfit as unfit:
            return TraceReply(1, fallback=str(unfit))
        return TraceReply(1)

    assert "just been changed" in in_child(request(folder), run).fallback


def test_what_is_asked_besides_facts_does_not_fit(folder: Path) -> None:
    asked = dataclasses.replace(request(folder), compilers=("export",))
    assert in_child(asked, stands()).fallback == "does not fit"


def test_a_hundred_edits_one_after_the_other(folder: Path) -> None:
    """Each of another process that imported the text before it."""
    text = MODEL
    for number in range(3):
        text = text.replace(
            "        y = self.block(x)\n", f"        y = self.block(x)\n        z{number} = y + {number}\n"
        )
        write(folder / "model.py", text)
        asked = request(folder, model=text.replace("return self.out", "w = y\n        return self.out"))
        assert facts(in_child(asked, stands())) == facts(in_child(asked))


def test_indented_texts_are_compared_as_they_are(folder: Path) -> None:
    text = dedent("""
    import torch
    from torch import nn
    REGISTRY = {}
    if True:
        class Net(nn.Module):
            def forward(self, x):
                return x
        REGISTRY["Net"] = Net
        def last(x):
            return x[0]
    """)
    write(folder / "model.py", text)
    asked = request(folder, model=text.replace("return x[0]", "y = x[:, 0]\n        return y"))
    assert facts(in_child(asked, stands())) == facts(in_child(asked))
