"""Sizes of inputs that functions make, that variables hold, or that data written as lists has: numbers of which only
runs tell whether they are sizes at all."""

from __future__ import annotations

import ast
import builtins
from typing import Dict, Iterator, List, Sequence, Set, Tuple, Union

MOST = 8
"""Numbers of one example that are tried."""
ROLE = "A"
"""That of such a factor: it may as well be no size, or one of the model's own."""

_WORDS = {
    "b": "B", "bs": "B", "bsz": "B", "batch": "B", "t": "T", "seq": "T", "seqlen": "T", "len": "T", "length": "T",
    "steps": "T", "time": "T", "h": "H", "height": "H", "w": "W", "width": "W",
}  # fmt: skip
"""What parts of a name mean."""
_COUNTS = frozenset({"n", "num", "nb", "number", "of", "size", "max"})
_BUILT_IN = frozenset(dir(builtins))


class Listed:
    """A list in the text, that may have fewer items, or more of the same."""

    def __init__(self, node: ast.List, longest: int) -> None:
        self._node, self._items, self._longest = node, list(node.elts), longest

    @property
    def value(self) -> int:
        """How long the longest of its kind is."""
        return self._longest

    @value.setter
    def value(self, size: int) -> None:
        own = len(self._items)
        wanted = size if own == self._longest else min(own, size)
        self._node.elts = [self._items[number % own] for number in range(wanted)]


Place = Union[ast.Constant, Listed]
Found = Tuple[str, int, List[Place]]
"""A name for it, the number, and where it stands."""


def made(trees: Sequence[ast.AST], sizes: Set[int], taken: Set[str]) -> List[Found]:
    """All that there are, but for the constants with an identity in `sizes`, under names that are not `taken`."""
    finder = _Finder()
    for tree in trees:
        finder.visit(tree)
    found: List[Found] = []
    names = set(taken)
    for word, places in finder.found:
        left = [one for one in places if id(one) not in sizes and finder.variables.get(id(one)) not in finder.owned]
        if left and left[0].value >= 2:
            name = next(one for one in _names(word) if one not in names)
            names.add(name)
            found.append((name, left[0].value, left))
    return found[:MOST]


class _Finder(ast.NodeVisitor):
    def __init__(self) -> None:
        self.found: List[Tuple[str, List[Place]]] = []
        self.owned: Set[str] = set()
        """Variables that a model is built with, so that their numbers are its own."""
        self.variables: Dict[int, str] = {}
        """Those that hold a number, by its identity."""

    def visit_Assign(self, node: ast.Assign) -> None:
        if len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            self.variables[id(node.value)] = node.targets[0].id
            self._number(node.targets[0].id, node.value)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        called = node.func
        if isinstance(called, ast.Name) and called.id not in _BUILT_IN and not called.id[:1].isupper():
            for argument in node.args:
                self._number("", argument)
            for keyword in node.keywords:
                self._number(keyword.arg or "", keyword.value)
        name = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
        if name == "arange" and len(node.args) == 1:
            self._number("", node.args[0])
        if not name[:1].isupper() or name.endswith("Tensor"):  # what a class is given is how a model is built
            self.generic_visit(node)
        else:
            parts = (part for argument in (*node.args, *node.keywords) for part in ast.walk(argument))
            self.owned.update(part.id for part in parts if isinstance(part, ast.Name))

    def visit_List(self, node: ast.List) -> None:
        kinds = {type(item) for item in node.elts}
        if len(kinds) != 1 or len(node.elts) < 2:
            self.generic_visit(node)
            return
        self.found.append(("batch", [Listed(node, len(node.elts))]))
        for alike in _columns(node.elts):
            lists = [item for item in alike if isinstance(item, ast.List)]
            longest = max((len(item.elts) for item in lists), default=0)
            if len(lists) == len(alike) and min(len(item.elts) for item in lists) > 0:
                self.found.append(("length", [Listed(item, longest) for item in lists]))

    def _number(self, word: str, node: ast.AST) -> None:
        if isinstance(node, ast.Constant) and type(node.value) is int:
            self.found.append((word, [node]))


def _columns(items: Sequence[ast.expr]) -> Iterator[Sequence[ast.expr]]:
    """What stands at the same place of each item: of tuples and dicts, part by part."""
    if all(isinstance(item, ast.Tuple) for item in items):
        yield from zip(*(item.elts for item in items if isinstance(item, ast.Tuple)))
    elif all(isinstance(item, ast.Dict) for item in items):
        dicts: List[Dict[str, ast.expr]] = [
            {ast.dump(key): value for key, value in zip(item.keys, item.values) if key is not None}
            for item in items if isinstance(item, ast.Dict)
        ]  # fmt: skip
        for key in dicts[0]:
            if all(key in one for one in dicts):
                yield [one[key] for one in dicts]
    else:
        yield items


def _names(word: str) -> Iterator[str]:
    """`T` for `seq_len`, `N` for `num_nodes`; others where these are taken."""
    parts = [part for part in word.lower().split("_") if part]
    yield from (_WORDS[part] for part in parts if part in _WORDS)
    yield from (part[0].upper() for part in parts if part not in _COUNTS and part[0].isalpha() and part.isascii())
    yield from "NMKLSPQRUV"
    yield from (f"N{number}" for number in range(1, 100))
