"""A loss with a weight for each class, of more or fewer classes: as many weights as there are classes.

weight = torch.tensor([0.2, 1.0])
F.cross_entropy(logits, target, weight=weight)  # logits are f32[8, 3]
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from fx_lsp.analysis.actions import Edit
from fx_lsp.analysis.causes.loss_sizes import Weighed, weighed
from fx_lsp.analysis.mends import Mend, _text
from fx_lsp.analysis.mends._broken import Broken
from fx_lsp.analysis.mends._fields import whole
from fx_lsp.analysis.mends._origin import FILLED
from fx_lsp.analysis.mends._parameters import called
from fx_lsp.analysis.mends._path import Step, path_of
from fx_lsp.analysis.source import Source


def propose(broken: Broken) -> Iterator[Edit]:
    """Where the weights are written: a list as long, or what is made of a number of classes made of another."""
    found = weighed(broken.call)
    shape = broken.call.shape(0, "input")
    if found is None or not shape:
        return
    classes, count = shape[found.dim], (found.weight.shape or (0,))[-1]
    for step in _written(broken, found):
        if isinstance(step.node, ast.List | ast.Tuple) and len(step.node.elts) == count:
            yield from _listed(step, step.node, classes)
        elif isinstance(step.node, ast.Call) and called(step.node) in FILLED and len(step.node.args) == 1:
            part = step.node.args[0]
            for text in (*_named(step.source, part, classes), str(classes)):
                title = f"Use {_text.title(text)} in place of {_text.title(_text.written(step.source, part))}"
                yield Edit(title, step.source.path, _text.instead(step.source, part, text))


def _written(broken: Broken, found: Weighed) -> Iterator[Step]:
    """What the weights come from: given to the loss as it is called, or where its layer is made."""
    node = broken.place(found.number, found.name)
    if node is not None:
        yield from path_of(broken, node)
    for made in broken.made if node is None else ():
        given = [one.value for one in made.node.keywords if one.arg == found.name] or made.node.args[:1]
        for one in given:
            yield from path_of(replace(broken, source=made.source, callers=made.callers[1:]), one)


def _listed(step: Step, node: ast.List | ast.Tuple, classes: int) -> Iterator[Edit]:
    """With the last ones left out, or with 1 for those that are missing."""
    texts = [_text.written(step.source, one) for one in node.elts]
    if any(isinstance(one, ast.Starred) for one in node.elts):
        return
    one = "1" if all(text.isdigit() for text in texts) else "1.0"
    new = ", ".join([*texts[:classes], *[one] * (classes - len(texts))])
    ends = ("[", "]") if isinstance(node, ast.List) else ("(", ",)" if classes == 1 else ")")
    title = f"Use {classes} weights, {_text.title(f'{ends[0]}{new}{ends[1]}')}"
    yield Edit(title, step.source.path, _text.instead(step.source, node, f"{ends[0]}{new}{ends[1]}"))


def _named(source: Source, node: ast.expr, classes: int) -> list[str]:
    """Numbers of the whole file that are as many."""
    found = [name for name in source.bindings for one in whole(source, name)
             if isinstance(one, ast.Constant) and type(one.value) is int and one.value == classes]  # fmt: skip
    return [name for name in found if name != ast.unparse(node)]


MEND = Mend(frozenset({"loss-sizes"}), propose)
