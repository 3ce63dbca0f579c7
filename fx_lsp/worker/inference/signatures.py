"""What the text of a definition says about its parameters."""

from __future__ import annotations

import ast
import inspect
import itertools
import re
import typing
from types import ModuleType
from typing import Any, Dict, List, Mapping, Set, Tuple

from torch import nn

from fx_lsp.worker.inference.live import parsed, source_text

_FACTORY = re.compile(
    r"from_(name|config|cfg|conf|args|options?|params|preset|scratch|dims?|size)|build\w*|create\w*|make\w*"
)
_WEIGHTS = re.compile(r"(.*_)?(weights|pretrained|checkpoint)(_.*)?")


def parameters_of(cls: type) -> Tuple[Dict[str, inspect.Parameter], Dict[str, Any]]:
    """What the constructor takes, through `**kwargs` or `*args` also of the classes above, and the annotations; what
    goes through `*args` alone is needed and has no name there."""
    found: Dict[str, inspect.Parameter] = {}
    hints: Dict[str, Any] = {}
    nameless = False
    made: Set[str] = set()
    places = 0
    for owner in cls.__mro__:
        init = vars(owner).get("__init__")
        if init is None or owner in (nn.Module, object):
            continue
        try:
            parameters = list(inspect.signature(init).parameters.values())[1:]
        except (TypeError, ValueError):
            break
        own = [one for one in parameters if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
        made |= {one.name for one in own[:places]}
        for one in _in_order(own) if nameless else own:
            if one.name not in made:
                found.setdefault(one.name, one)
        hints = {**hints_of(init), **hints}
        rest = any(one.kind is one.VAR_KEYWORD for one in parameters)
        handed, places, given = _given_above(init)
        made |= given
        if nameless or not rest or not handed:
            if not _hands_on_in_order(init, parameters):
                break
            nameless, found = True, {**found, **{one.name: one for one in _in_order(own)}}
    if not found and issubclass(cls, tuple):  # a named one is made before there is anything to initialize
        return {one.name: one for one in inspect.signature(cls).parameters.values()}, hints_of(cls)
    for owner in cls.__mro__[1:]:  # what has no annotation may have one there, under the same name
        if owner not in (nn.Module, object) and "__init__" in vars(owner):
            above = hints_of(vars(owner)["__init__"])
            unsaid = {name for name in found if hints.get(name, Any) is Any}
            hints = {**hints, **{name: hint for name, hint in above.items() if name in unsaid}}
    return dict(sorted(found.items(), key=lambda item: item[1].kind is not inspect.Parameter.POSITIONAL_ONLY)), hints


def _given_above(init: Any) -> Tuple[bool, int, Set[str]]:
    """Whether a constructor hands the rest of its arguments on to the one above, how many it gives it by place and
    which by name; one that cannot be read hands them on."""
    calls = [
        node
        for statement in parsed(source_text(init))
        for node in ast.walk(statement)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "__init__"
    ]
    for call in calls:
        names = {one.arg for one in call.keywords if one.arg is not None}
        given = list(itertools.takewhile(lambda one: not isinstance(one, ast.Starred), call.args))
        bound = isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Call)  # `super().__init__`
        if any(one.arg is None for one in call.keywords):
            return True, max(len(given) - (not bound), 0), names
    return not calls, 0, set()


def _in_order(parameters: List[inspect.Parameter]) -> List[inspect.Parameter]:
    """Those that have to be given, by their places."""
    needed = [one for one in parameters if one.default is one.empty and one.kind is not one.KEYWORD_ONLY]
    return [one.replace(kind=one.POSITIONAL_ONLY) for one in needed]


def _hands_on_in_order(init: Any, parameters: List[inspect.Parameter]) -> bool:
    """Whether it gives the one above what it takes as `*args`, before which nothing may be left out."""
    rest = next((at for at, one in enumerate(parameters) if one.kind is one.VAR_POSITIONAL), None)
    if rest is None or any(one.default is not one.empty for one in parameters[:rest]):
        return False
    return re.search(rf"\.__init__\((self, )?\*{parameters[rest].name}\b", source_text(init)) is not None


def hands_on(cls: type) -> bool:
    """Whether the constructor takes any argument, for what it makes."""
    try:
        parameters = inspect.signature(vars(cls).get("__init__", cls)).parameters.values()
    except (TypeError, ValueError):
        return False
    return any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)


def read_of_rest(code: str, name: str) -> bool:
    """Whether an attribute is read of what a constructor makes of all that takes the rest of the arguments."""
    rest = re.search(r"def __init__\([^)]*\*\*(\w+)", code)
    made = re.findall(rf"([\w.]+) = [\w.]+\([^\n=]*\b{rest[1]}\)", code) if rest is not None else []
    return any(re.search(rf"(?<![\w.]){re.escape(one)}\.{name}\b", code) for one in made)


def factories(cls: type) -> List[str]:
    """Class methods that build one from a few words."""
    methods = {name: method for base in reversed(cls.__mro__) for name, method in vars(base).items()}
    return [name for name, method in methods.items() if type(method) is classmethod and _FACTORY.fullmatch(name)]


def parameters_of_method(cls: type, name: str) -> Tuple[Dict[str, inspect.Parameter], Dict[str, Any]]:
    """What a class method takes, and the annotations."""
    method = getattr(cls, name)
    try:
        parameters = inspect.signature(method).parameters.values()
    except (TypeError, ValueError):
        return {}, {}
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return {one.name: one for one in parameters if one.kind not in variable}, hints_of(method)


def without_weights(module: ModuleType, call: str) -> str:
    """The same without what it wanted to download; empty when it says nothing of that."""
    made = re.fullmatch(r"(\w+)\(\)", call)
    function = getattr(module, made[1], None) if made is not None else None
    try:
        parameters = inspect.signature(function).parameters.values() if callable(function) else ()
    except (TypeError, ValueError):
        return ""
    left_out = [
        f"{p.name}={'False' if p.default is True else 'None'}"
        for p in parameters
        if _WEIGHTS.fullmatch(p.name) and p.default not in (None, False)
    ]
    return f"{made[1]}({', '.join(left_out)})" if made is not None and left_out else ""


def hints_of(function: Any) -> Dict[str, Any]:
    """The annotations of a function, as far as they mean something: texts are left of those that name what is not
    there."""
    try:
        return typing.get_type_hints(function)
    except Exception:  # an annotation is any expression, and may name what is not there
        hints = dict(getattr(function, "__annotations__", {}))
        known = getattr(inspect.unwrap(function), "__globals__", {})
        return {name: evaluated(hint, known) if isinstance(hint, str) else hint for name, hint in hints.items()}


def inherited(cls: type, name: str) -> Dict[str, Any]:
    """The annotations of a method; where it has none at all, those of the same places of the one it replaces."""
    methods = [vars(owner)[name] for owner in cls.__mro__ if owner is not nn.Module and name in vars(owner)]
    for above in methods:
        if hints := hints_of(above):
            own, places = (list(inspect.signature(method).parameters) for method in (methods[0], above))
            return {**hints, **{new: hints[old] for new, old in zip(own, places) if old in hints}}
    return {}


def evaluated(hint: str, known: Mapping[str, Any]) -> Any:
    """What the text of an annotation means where these names are known; the same text where that cannot be said."""
    try:
        return eval(hint, {}, known)
    except Exception:  # any expression, in which something may be missing
        return hint
