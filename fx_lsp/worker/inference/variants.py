"""An instance with other modules in the place of those that its constructor was given."""

from __future__ import annotations

import itertools
import re
from typing import Iterator

from fx_lsp.worker.inference import modules
from fx_lsp.worker.inference.attempts import Built
from fx_lsp.worker.inference.configurations import CONFIG
from fx_lsp.worker.inference.constructors import Constructor
from fx_lsp.worker.inference.corrections import Arguments


def variants(constructor: Constructor, built: Built) -> Iterator[Arguments]:
    """With modules of the workspace in the place of those that do nothing."""
    given = dict(built.arguments)
    for name, text in built.arguments:
        if CONFIG.fullmatch(name.lower()):  # with all its layers
            whole = re.match(r"\w+\(", text)
            yield from ({**given, name: one} for _, one in constructor.options(name) if whole and one == f"{whole[0]})")
        if re.fullmatch(r"nn\.\w+", text):  # one of them, where the class was called with what it shall compute
            yield {**given, name: f"{text}()"}
        if text in ("nn.LayerNorm", "nn.BatchNorm2d"):
            yield {**given, name: "nn.BatchNorm2d" if text == "nn.LayerNorm" else "nn.LayerNorm"}
        if text.startswith(("nn.Identity", "lambda")):
            for cls in [
                *modules.fitting(constructor.cls, name, constructor.names),
                *modules.last(constructor.cls, constructor.names),
            ]:
                for setup, made in constructor.instances(cls):
                    constructor.options(name).append((setup, made))
                    yield {**given, name: made}
        elif text.startswith("nn.") and text in (fit := modules.layers(constructor.cls, name)):
            yield from ({**given, name: one} for one in fit if one != text)
        elif text.isidentifier() and text in (made := [one for _, one in constructor.options(name)]):  # a class to make
            others = (one for one in made if re.fullmatch(r"(nn\.)?[A-Z]\w+", one) and one != text)
            yield from ({**given, name: one} for one in itertools.islice(others, 3))
        elif re.match(r"\w+\(", text) and text in (made := [one for _, one in constructor.options(name)]):
            others = (one for one in made if re.match(r"([A-Z]\w+|type)\(", one) and one != text)  # of a class alike
            yield from ({**given, name: one} for one in itertools.islice(others, 2))
