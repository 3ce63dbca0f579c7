"""What text says about inputs: documentation (`mask (torch.BoolTensor of shape (batch_size, length))`, `x: (B, T, D)`),
comments in the code (`# x: [B, T, D]`, `# x: B x T x D`) and annotations that hold a shape."""

from __future__ import annotations

import ast
import inspect
import re
from types import SimpleNamespace
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple

from torch import nn

from fx_lsp.worker.inference.hinted import hinted
from fx_lsp.worker.inference.inputs import BATCH, LENGTH, SIDE, WIDTH, Tensor
from fx_lsp.worker.inference.live import attribute, source_text

MAX_RANK = 6
_SHAPE = re.compile(r"(?:shape|size|dims?)\D{0,12}?[`:\s=]*[(\[]([^()\[\]]*(?:\([^()]*\)[^()\[\]]*)*)[)\]]")
_DIM = r"[A-Za-z0-9_][\w.+*/ -]*"
_SHORT = r"(?:[A-Z]{1,3}|[a-z]|\d+)"
"""A dim as it is written where there is no space between two: in a word, an `x` is a letter."""
_BARE = re.compile(
    r"`{0,2}(?:[ ]*\([^()\n]*\)|[ ]*\[[^\[\]\n]*\])?[ ]*(?:[:=]|->|-|is|of|has)[ ]*`*"
    r"(?:(?:[\w.]+ ){0,3}(?:[tT]ensors?|features?|inputs?|maps?|images?|shaped?)(?: of)?[: ]*)?"
    rf"(?:[(\[]({_DIM}(?:, *{_DIM})+),?[)\]]|(\w+(?: [x×*] \w+)+|{_SHORT}(?: ?[x×*] ?{_SHORT})+)(?![\w.(]))"
)
"""After a name: a shape, of two dims or more, without a word that says that it is one."""
_LETTERS = re.compile(r"[(\[]((?:[A-Z]\w{0,2}|\d+)(?:, *(?:[A-Z]\w{0,2}|\d+))+),?[)\]]")
"""A shape anywhere in what is said of a name: of letters and numbers alone, nothing else is written so."""
_LAST = re.compile(rf"(?m)(?<=\s)\[((?=[^\]\n]*[A-Za-z]){_DIM}(?:, *{_DIM})+|[A-Za-z]+_\w+)\]\.?[ ]*$")
"""A shape at the end of what is said of a name, also of one dim."""
_RANGE = re.compile(r"\b(?:in|from|within|between|range)\s+\[|\[(?:min|max|low|high|optional)\b")
"""What stands in brackets and is no shape."""
_DTYPES = (
    (r"[Ll]ong|(?<![a-z])[Ii]nt(?!o\b)|(?<![a-z])(index|indices|ids)\b", "i64"), (r"[Bb]ool|[Bb]inary", "b8"),
    (r"[Cc]omplex", "c64"),
)  # fmt: skip
_USUAL = (
    (r"b|n|bs|bsz|batch(_?size)?|(n|num)_samples", BATCH),
    (r"h|w|(.*_)?(height|width|image_size|img_size|resolution)", SIDE),
    (r"c|(.*_)?channels?|in_chans", 3),
    (r"d|e|(.*_)?(dim|hidden(_size)?|embed.*|features?|d_model|width|size|head_size)", WIDTH),
    (r"l|t|s|(.*_)?(len(gth)?|tokens?|patches|seq.*|queries|points|time.*|frames?|keys|num.*|positions?)", LENGTH),
)
_AT_HAND = ("config", "cfg", "args")

Known = List[Any]
"""What has sizes as attributes."""


def documented(
    instance: nn.Module, hints: Mapping[str, Any], names: List[str], method: str, given: Mapping[str, str]
) -> Dict[str, Tensor]:
    """The inputs of which an annotation, or the documentation of the method or of the class, says the shape, also by
    what the instance was `given` when it was built."""
    cls = type(instance)
    called = getattr(cls, method)
    text = "\n".join(filter(None, [_doc(called), _comments(called), _doc(cls), _doc(cls.__init__)]))
    found: Dict[str, Tensor] = {}
    stated = {name: int(size) for name, size in given.items() if size.isdigit()}
    known = [instance, *(attribute(instance, held) for held in _AT_HAND), SimpleNamespace(**stated)]
    for name in names:
        tensor = next(_stated(text, name, known), None)
        if tensor is not None:
            found[name] = tensor
    return {**found, **hinted(hints, names, lambda dims: _sizes(dims, known))}


def _sizes(parts: List[str], known: Known) -> Optional[Tuple[int, ...]]:
    """Of dims; None where they are no shape."""
    sizes = [size for size in (_dim(part, known) for part in _apart(parts)) if size is not None]
    return tuple(sizes) if 0 < len(sizes) == len(parts) <= MAX_RANK else None


def _doc(owner: Any) -> str:
    return inspect.getdoc(owner) or ""


def _comments(function: Any) -> str:
    """Those of a function, each on a line; one that stands behind a parameter begins with its name."""
    lines = []
    for line in source_text(function).split("\n"):
        code, mark, comment = line.partition("#")
        behind = re.fullmatch(r"\s*(\w+)(?:\s*[:=][^,]*)?,\s*", code)
        if mark and (not code.strip() or behind):
            lines.append(f"{behind[1]}: {comment.strip()}" if behind else comment.strip())
    return "\n\n".join(lines)


def _stated(text: str, name: str, known: Known) -> Iterator[Tensor]:
    lead = r"[ \t*-]*(?::param (?:[\w.]+ )?)?(?:[Ii]nput )?`{0,2}"
    next_line = r"\n(?!\s*\n)(?!\s*\w+ *(?:\([^)\n]*\))?:)[^\n]*"  # not one about another input
    for match in re.finditer(rf"(?m)^{lead}{re.escape(name)}\b([^\n]*(?:{next_line})?)", text):
        line = match[1]
        stated = _BARE.match(line) or _SHAPE.search(line) or _LETTERS.search(line)
        if stated is None and not _RANGE.search(line):
            stated = _LAST.search(line)
        if stated is None:
            continue
        written = next(filter(None, stated.groups()), "")  # `of size ()` is no shape
        parts = [part.strip() for part in re.split(r"[x×*]" if "," not in written else ",", written) if part.strip()]
        shape = _sizes(parts, known)
        if shape is not None:
            before = line[: stated.start(stated.lastindex or 0)]
            dtype = next((dtype for pattern, dtype in _DTYPES if re.search(pattern, before)), "f32")
            yield Tensor(dtype, shape)


def _apart(parts: List[str]) -> List[str]:
    """`N` is a batch where there is no `B`, and a length beside one; `C` is the channels of a picture only where its
    sides are there too."""
    lowered = [part.lower() for part in parts]
    if lowered[:1] in (["b"], ["bs"], ["bsz"], ["batch"], ["batch_size"]):
        parts = [parts[0], *("length" if part.lower() == "n" else part for part in parts[1:])]
    if not {"h", "w", "height", "width"} & set(lowered):
        parts = ["features" if part == "C" or part == "c" else part for part in parts]
    return parts


def _dim(text: str, known: Known) -> Optional[int]:
    try:
        text = re.sub(r"(?<=\w) +(?=\w)", "_", text.partition(" or ")[0].strip("`* "))  # `batch size`
        value = _value(ast.parse(text, mode="eval").body, known)
    except (SyntaxError, ValueError, ZeroDivisionError, OverflowError):
        return None
    return value if 0 < value <= 4096 else None


def _value(node: ast.expr, known: Known) -> int:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.Attribute):
        return _named(node.attr, known)
    if isinstance(node, ast.Name):
        return _named(node.id, known)
    if isinstance(node, ast.BinOp):
        left, right = _value(node.left, known), _value(node.right, known)
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


def _named(name: str, known: Known) -> int:
    for owner in known:
        value = attribute(owner, name)
        if type(value) is int:
            return value
    return next((size for pattern, size in _USUAL if re.fullmatch(pattern, name.lower())), LENGTH)
