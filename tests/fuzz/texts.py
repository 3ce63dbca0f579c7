"""Files of a small workspace that import each other, and what a programmer does to them."""

from __future__ import annotations

import random
import re

DATA = "size.json"

TOOLS = """'''What the blocks share.'''
import json
import os

WIDTH = 8


def widen(x, n):
    '''n times as wide.'''
    y = x.repeat(1, n)
    return y


def size():
    with open(os.path.join(os.path.dirname(__file__), 'size.json')) as file:
        return json.load(file)
"""

BLOCK = """import torch
from torch import nn
from tools import WIDTH, widen


# fx: Block(8)(f32[B:3, 8])
class Block(nn.Module):
    '''A linear layer, widened.'''

    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, WIDTH)

    def forward(self, x):
        h = self.fc(x)
        # twice
        return widen(h, 2) + 1
"""

NET = """import torch
from torch import nn
from block import Block
from part import Part
from tools import size


# fx: Net()(f32[2, 8])
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block(8)
        self.part = Part()

    def forward(self, x):
        y = self.part(self.block(x))
        z = torch.cat([y] * size(), 1)
        return (z + 2)
"""

PART = """from torch import nn


class Part(nn.Module):
    '''Only another model calls it.'''

    def forward(self, x):
        return x - 1
"""

LONE = """import torch
from torch import nn


class Lone(nn.Module):
    '''Nobody calls it.'''

    def forward(self, x, scale=2):
        y = x * scale
        # not less than one
        return torch.relu(y) + 1
"""

CELLS = (
    "import torch\nfrom torch import nn\nfrom tools import widen",
    """# fx: Page(4)(f32[B:2, 3])
class Page(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width

    def forward(self, x):
        # wide
        h = widen(x, 2) + self.width
        return h * 2""",
    """class Loose(nn.Module):
    def forward(self, x):
        return (x + 1)""",
    "from lone import Lone\nmodel = Lone()",
    "%matplotlib inline\nmodel(torch.zeros(3, 4))",
    "",
)

FILES = {"tools.py": TOOLS, "block.py": BLOCK, "net.py": NET, "part.py": PART, "lone.py": LONE}
CONFIGURATIONS = (
    "",
    "[tool.fx-lsp]\ndims = { B = 5 }\n",
    '[tool.fx-lsp.examples]\n"block.py" = ["Block(8)(f32[B:4, 8])"]\n',
    '[tool.fx-lsp.setup]\n"net.py" = "n = 2"\n',
    "[tool.fx",
)
NAMES = (*FILES, "other.py")

_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")


def comment(text: str, chance: random.Random) -> str:
    """One more comment, at the end of a line or above it."""
    lines = text.split("\n")
    number = chance.randrange(len(lines))
    if "'''" in lines[number] or "# fx" in "".join(lines[number : number + 2]):
        return text
    lines[number] = f"{lines[number]}  # é {chance.randrange(9)}" if chance.random() < 0.5 else f"# c\n{lines[number]}"
    return "\n".join(lines)


def blank(text: str, chance: random.Random) -> str:
    """One more blank line, or one less."""
    lines = text.split("\n")
    empty = [number for number, line in enumerate(lines) if not line]
    if empty and chance.random() < 0.5:
        del lines[chance.choice(empty)]
    else:
        lines.insert(chance.choice([*empty, 0]), "")
    return "\n".join(lines)


def docstring(text: str, chance: random.Random) -> str:
    """Another word in a docstring, over some lines."""
    return re.sub(
        r"'''(.*?)'''", lambda match: f"'''{chance.choice(('One', 'Two', 'Three' + chr(10)))}'''", text, count=1
    )


def parentheses(text: str, chance: random.Random) -> str:
    """As a formatter puts them, or takes them away."""
    if "(z + 2)" in text:
        return text.replace("(z + 2)", "z  +  2")
    return text.replace("z  +  2", "(z + 2)").replace("return widen(h, 2)", "return (widen(h, 2))")


def number(text: str, chance: random.Random) -> str:
    """Another number somewhere, which may break the model."""
    found = list(_NUMBER.finditer(text))
    if not found:
        return text
    match = chance.choice(found)
    return f"{text[: match.start()]}{chance.choice((1, 2, 3, 8))}{text[match.end() :]}"


def repeated(text: str, chance: random.Random) -> str:
    """A line twice."""
    lines = text.split("\n")
    where = chance.randrange(len(lines))
    lines.insert(where, lines[where])
    return "\n".join(lines)


def less(text: str, chance: random.Random) -> str:
    """A line less, but no directive: what is invented in its place stays for as long as it makes sense."""
    lines = text.split("\n")
    where = chance.randrange(len(lines))
    if not lines[where].startswith(("# fx", "class")):
        del lines[where]
    return "\n".join(lines)


def broken(text: str, chance: random.Random) -> str:
    """A character too many: mostly it does not parse."""
    lines = text.split("\n")
    where = chance.randrange(len(lines))
    lines[where] += chance.choice(("(", '"', " 1 1", "\\", "'''", ")"))
    return "\n".join(lines)


def statement(text: str, chance: random.Random) -> str:
    """A statement more in front of a return."""
    return re.sub(r"( +)return ", lambda match: f"{match[1]}k = x + {chance.randrange(9)}\n{match[0]}", text, count=1)


QUIET = (comment, blank, docstring, parentheses)
"""What leaves the meaning alone."""
EDITS = (*QUIET, number, number, repeated, less, broken, statement)


def parses(text: str) -> bool:
    """Whether it is Python that can be run."""
    try:
        compile(text, "text", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True
