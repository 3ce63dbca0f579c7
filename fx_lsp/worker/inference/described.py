"""What documentation says a parameter of a constructor is: `widths (list of int): ...`, `widths : list of int`,
`:param int width:`, `kind (str): "sum" or "mean"`."""

from __future__ import annotations

import ast
import collections.abc
import inspect
import re
import typing
from typing import Any, Callable, Iterator, List, NamedTuple, Optional, Tuple

import torch
from torch import nn

from fx_lsp.worker.indentation import depth
from fx_lsp.worker.inference.compared import compared_with
from fx_lsp.worker.inference.configurations import CONFIG
from fx_lsp.worker.inference.elsewhere import elsewhere
from fx_lsp.worker.inference.meaning import OTHERS, argument, is_counted_to
from fx_lsp.worker.inference.names import Names, text_of
from fx_lsp.worker.inference.options import Option, annotated
from fx_lsp.worker.inference.rows import rows

_ATOMS = (
    (r"int(eger)?s?", "int"), (r"floats?|numbers?|scalars?|doubles?", "float"), (r"bool(ean)?s?", "bool"),
    (r"str(ing)?s?", "str"), (r"dict(ionar(y|ies))?s?", "dict"), (r"lists?", "list"),
    (r"tuples?", "tuple"), (r"sequences?|iterables?", "Sequence"), (r"callables?|functions?", "Callable"),
    (r"(torch\.)?nn\.modules?|modules?", "nn.Module"), (r"(torch\.)?(Float|Long)?tensors?", "torch.Tensor"),
)  # fmt: skip
_SEVERAL = {"list": "List", "tuple": "Tuple", "Sequence": "Sequence"}
_AFTER = re.compile(
    r"(?i)[,;]? *[(\[]?\b(optional(?!\[)|default|required|shape|of (size|length|shape)|with|which|that)\b.*"
)
_NAMED = re.compile(r"""["'`]+([A-Za-z][\w-]*)["'`]+""")
_CHOICE = re.compile(
    r"(?i)\bone of\b|\beither\b|\bsupport|\bchoose|\bchoice|\boptions?\b|\bavailable|\bpossible|\bor\b|\||{"
)
_MADE = (nn.Module, typing.Callable, torch.Tensor)
_LISTS = (list, tuple, collections.abc.Sequence)
MAX_LINES = 4
"""Of what is said about one parameter."""
MAX_NAMES = 4


class Described(NamedTuple):
    """What is said of a parameter."""

    kind: Any = None
    """As an annotation; None where it is no type."""
    names: Tuple[str, ...] = ()
    """Texts that it may be."""


Instances = Callable[[type], Iterator[Option]]


def by_text(cls: type, name: str, hint: Any, names: Names, instances: Instances) -> List[Option]:
    """What may be given for a parameter with this annotation, by the text of the class: rows where it goes through
    such, texts that it is compared with, a few where it counts to it, else what is said of one without annotation; and
    what one of a name that means nothing, or a kind, is by default in other classes."""
    unsaid, usual = hint is inspect.Parameter.empty, argument(name)
    found = [("", text) for text in rows(cls, name)] if hint is not dict else []
    if hint is str or (unsaid and (usual is OTHERS or usual[0].startswith("'"))):
        found += [("", text) for text in compared_with(text_of(cls), name)]
    if usual is OTHERS and (unsaid or hint is int) and is_counted_to(name, text_of(cls)):
        found += [("", "2"), ("", "1")]
    found += _as_described(cls, name, names, instances) if unsaid else []
    tables = CONFIG.fullmatch(name.lower()) is not None
    if tables or usual is OTHERS or usual[0].startswith("'"):
        found += [("", text) for text in elsewhere(name, hint, names) if not tables or text[0] == "{"]
    return found


def _as_described(cls: type, name: str, names: Names, instances: Instances) -> List[Option]:
    """A module or a function only where its name means nothing."""
    said, usual = described(cls, name), argument(name)
    if said.kind in _MADE and usual is not OTHERS:
        return []
    if said == Described() and (kind := _class_named(cls, name, names)) is not None:
        return list(instances(kind))
    found = [] if said.kind is None else list(annotated(said.kind, name, names, instances))
    listed = any(kind in (typing.get_origin(said.kind) or said.kind, *typing.get_args(said.kind)) for kind in _LISTS)
    if listed:
        found[:0] = [("", repr([one, one])) for one in said.names]
    elif said.kind is not None or usual is OTHERS or usual[0].startswith("'"):
        found[:0] = [("", repr(one)) for one in said.names]
    return found


def described(cls: type, name: str) -> Described:
    """By the documentation of the class or of its constructor, or those of the classes above."""
    for kind, said in _of_class(cls, name):
        found = _annotation(kind)
        names = _NAMED.findall(said) if _CHOICE.search(said) and re.search("str|list|^$", found) else []
        if found or names:
            kind = eval(found, {"nn": nn, "torch": torch, **vars(typing)}) if found else None
            return Described(kind, tuple(dict.fromkeys(one for one in names if one != name))[:MAX_NAMES])
    return Described()


def _class_named(cls: type, name: str, names: Names) -> Optional[type]:
    """The class of the workspace whose name stands where the type does: `space : Space`."""
    said = [kind.strip(" `").rpartition(".")[2] for kind, _ in _of_class(cls, name)]
    known = {one.__name__: one for one in names.classes(object)} if any(one[:1].isupper() for one in said) else {}
    return next((known[one] for one in said if one in known), None)


def _of_class(cls: type, name: str) -> Iterator[Tuple[str, str]]:
    for owner in (one for one in cls.__mro__ if one not in (nn.Module, object)):
        for documented in (owner, vars(owner).get("__init__")):
            text = inspect.getdoc(documented) if documented is not None else None
            yield from _entries(text or "", name)


def _entries(text: str, name: str) -> Iterator[Tuple[str, str]]:
    """What stands where the type does, and what is said."""
    named = rf"[`*]{{0,2}}{re.escape(name)}[`*]{{0,2}}"
    for match in re.finditer(rf"(?m)^([ \t]*)(?:[-*] )?(?:[:@]param (?:([^:\n]+?) )?)?{named}[ \t]*(?=[(:])(.*)", text):
        within = re.match(r"\(((?:[^()]|\([^()]*\))*)\)[ \t]*:?(.*)", match[3])
        rest = within[2] if within is not None else match[3].lstrip(": ")
        below = _below(text[match.end() :].split("\n")[1 : MAX_LINES + 1], len(match[1]))
        typed = re.search(rf"(?m)^[ \t]*[:@]type {named}[ \t]*:(.*)", text)
        kind = typed[1] if typed is not None else match[2] or (within[1] if within is not None else "")
        first = re.match(r"{[^}]*}|(?:(?![.,;](?: |$)| - ).)*", rest)
        yield kind or (first[0] if first is not None else ""), f"{kind} {rest} {below}"


def _below(lines: List[str], margin: int) -> str:
    """The lines that belong to one: further in than it."""
    found: List[str] = []
    for line in lines:
        if depth(line) <= margin:
            break
        found.append(line.strip())
    return " ".join(found)


def _annotation(text: str) -> str:
    """In the words of Python; empty where it is no type."""
    text = _AFTER.sub("", text.strip().strip("`").replace("``", "")).strip(" .,:`")
    if re.fullmatch(r"{.*}", text):
        return _literal(text)
    if match := re.fullmatch(r"(Optional|Union)\[(.*)\]", text):
        text = re.sub(r",(?![^\[]*\])", " |", match[2])
    parts = re.split(r" *(?:\||,? \bor\b|/) *", text)
    found = [_single(one) for one in parts]
    return "" if not all(found) else found[0] if len(found) == 1 else f"Union[{', '.join(found)}]"


def _literal(text: str) -> str:
    """Of `{'sum', 'mean'}`; empty where something in it is no text and no number."""
    try:
        listed = [ast.literal_eval(one.strip()) for one in text[1:-1].split(",") if one.strip()]
    except (ValueError, SyntaxError):
        return ""
    plain = all(isinstance(one, (str, int, float, type(None))) for one in listed)
    return f"Literal[{', '.join(map(repr, listed))}]" if listed and plain else ""


def _single(text: str) -> str:
    if re.fullmatch(r"[Nn]one", text):
        return "None"
    if match := re.fullmatch(r"(?i)(?:a |an )?(\w+)(?: of |\[| ?\()([\w. \[\](),`]+?)[\])]?", text):
        outer, inner = _SEVERAL.get(_atom(match[1]), ""), match[2]
        parts = [_single(one.strip()) for one in re.split(r",(?![^\[(]*[\])])", inner) if one.strip(". ")]
        more = ", ..." if outer == "Tuple" and ("..." in inner or " of " in text) else ""
        return f"{outer}[{', '.join(parts)}{more}]" if outer and parts and all(parts) else _atom(match[1])
    return _atom(re.sub(r"(?i)^(?:an?|the) ", "", text))


def _atom(text: str) -> str:
    return next((python for pattern, python in _ATOMS if re.fullmatch(pattern, text, re.IGNORECASE)), "")
