"""What the text of documentation says about inputs: `mask (torch.BoolTensor of shape (batch_size, length))`."""

from __future__ import annotations

import ast
import inspect
import re
from typing import Any, Dict, Iterator, List, Optional

from torch import nn

from fx_lsp.worker.inference.inputs import BATCH, LENGTH, SIDE, WIDTH, Tensor
from fx_lsp.worker.inference.live import attribute

MAX_RANK = 6
_SHAPE = re.compile(r"(?:shape|size|dims?)\D{0,12}?[`:\s=]*[(\[]([^()\[\]]*(?:\([^()]*\)[^()\[\]]*)*)[)\]]")
_DTYPES = ((r"[Ll]ong|[Ii]nt", "i64"), (r"[Bb]ool", "b8"))
_USUAL = (
    (r"b|n|bs|bsz|batch(_?size)?|(n|num)_samples", BATCH),
    (r"h|w|(.*_)?(height|width|image_size|img_size|resolution)", SIDE),
    (r"c|(.*_)?channels?|in_chans", 3),
    (r"d|e|(.*_)?(dim|hidden(_size)?|embed.*|features?|d_model|width|size|head_size)", WIDTH),
    (r"l|t|s|(.*_)?(len(gth)?|tokens?|patches|seq.*|queries|points|time.*|frames?|keys|num.*|positions?)", LENGTH),
)
_AT_HAND = ("config", "cfg", "args")


def documented(instance: nn.Module, names: List[str]) -> Dict[str, Tensor]:
    """The inputs of which the documentation of `forward`, or of the class, says the shape."""
    text = "\n".join(filter(None, [_doc(type(instance).forward), _doc(type(instance))]))
    found: Dict[str, Tensor] = {}
    for name in names if "(" in text or "[" in text else ():
        tensor = next(_stated(text, name, instance), None)
        if tensor is not None:
            found[name] = tensor
    return found


def _doc(owner: Any) -> str:
    return inspect.getdoc(owner) or ""


def _stated(text: str, name: str, instance: nn.Module) -> Iterator[Tensor]:
    for match in re.finditer(rf"(?m)^[ \t*-]*`?{re.escape(name)}`?\b[^\n]*(?:\n(?!\s*\n)[^\n]*)?", text):
        line = match[0].partition(name)[2]  # the name may end in `size`
        stated = _SHAPE.search(line)
        if stated is None:
            continue
        dims = [_dim(part.strip(), instance) for part in stated[1].split(",") if part.strip()]
        if 0 < len(dims) <= MAX_RANK and None not in dims:
            before = line[: stated.start()]
            dtype = next((dtype for pattern, dtype in _DTYPES if re.search(pattern, before)), "f32")
            yield Tensor(dtype, tuple(size for size in dims if size is not None))


def _dim(text: str, instance: nn.Module) -> Optional[int]:
    try:
        text = re.sub(r"(?<=\w) +(?=\w)", "_", text.strip("`* "))  # `batch size`
        value = _value(ast.parse(text, mode="eval").body, instance)
    except (SyntaxError, ValueError, ZeroDivisionError, OverflowError):
        return None
    return value if 0 < value <= 4096 else None


def _value(node: ast.expr, instance: nn.Module) -> int:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.Attribute):
        return _named(node.attr, instance)
    if isinstance(node, ast.Name):
        return _named(node.id, instance)
    if isinstance(node, ast.BinOp):
        left, right = _value(node.left, instance), _value(node.right, instance)
        if isinstance(node.op, ast.Mult):
            return left * right
        if isinstance(node.op, (ast.Div, ast.FloorDiv)):
            return left // right
        if isinstance(node.op, ast.Add):
            return left + right
        if isinstance(node.op, ast.Sub):
            return left - right
        if isinstance(node.op, ast.Pow) and right <= 3:
            return left**right
    raise ValueError(ast.dump(node))


def _named(name: str, instance: nn.Module) -> int:
    for owner in (instance, *(attribute(instance, held) for held in _AT_HAND)):
        value = attribute(owner, name)
        if type(value) is int:
            return value
    return next((size for pattern, size in _USUAL if re.fullmatch(pattern, name.lower())), LENGTH)
