"""What a constructor that failed asks for: other arguments that are worth a try, best first."""

from __future__ import annotations

import ast
import inspect
import re
from types import MappingProxyType
from typing import Any, Dict, Iterator, List, Mapping

from torch import nn
from torch.nn.parameter import is_lazy

from fx_lsp.worker.inference.attempts import Attempt, TooLong, words
from fx_lsp.worker.inference.fillings import OF_TABLES, values
from fx_lsp.worker.inference.longer import with_more
from fx_lsp.worker.inference.meaning import argument
from fx_lsp.worker.inference.names import is_class
from fx_lsp.worker.inference.parts import Place, module_asked_for, parsed
from fx_lsp.worker.inference.tables import absent_keys
from fx_lsp.worker.inference.told import ONE_OF, is_refused, keys, of_kinds

Arguments = Dict[str, str]

SEQUENCE = (
    r"not iterable|not subscriptable|has no len|not reversible|must be an iterable|not a sequence|cannot unpack"
    r"|be a sequence|be a tuple|argument 'size' failed to unpack|can only concatenate (?:list|tuple)"
)
_MISSING = re.compile(r"missing \d+ required (?:positional|keyword-only) arguments?: (.*)")
_REQUIRED = re.compile(
    r"(?:required|missing) (?:keyword |positional )?(?:argument|parameter|key)s?:? [`'\"](\w+)[`'\"]"
    r"|[`'\"](\w+)[`'\"] is (?:required|missing)"
)
_NO_TENSOR = re.compile(
    r"'(int|float|str|list|tuple|NoneType)' object has no attribute"
    r" '(size|shape|dim|ndim|device|dtype|numel|T|to|cpu|cuda|float|long|clone|detach)'"
    r"|must be Tensor, not (bool|int|float|str|tuple|NoneType)"
    r"|for @: '\w*Tensor' and '\w+'|for @: '\w+' and '\w*Tensor'"
)
NO_OBJECT = re.compile(r"'(?:int|float|str)' object has no attribute '\w+'")
NORMAL = "torch.distributions.Normal(torch.zeros(64), torch.ones(64))"
_NO_TENSORS = re.compile(r"expected Tensor as element|must be (?:tuple|list) of Tensors|must be Tensor, not int")
_NO_PICTURE = re.compile(r"input to conv2d|size \[\d+, \d+, \d+, \d+\], expected input\[")
_NO_FIELD = re.compile(r"'(?:int|float|str|list|tuple|NoneType|Identity|function)' object has no attribute '(\w+)'")
_NO_ENTRIES = re.compile(r"((?:nn\.)?(?:[A-Z]\w*)?(?:Buffer|Parameter|Module|Tensor)Dict)\(\)")
_TWICE = re.compile(r"got multiple values for (?:keyword )?argument '(\w+)'")
_LISTED = re.compile(
    r"(?:one of|among|choose from|choices|modes|available|supported)\W*((?:[\w.-]+(?:, | or |\|| )+)+[\w.-]+)"
)
_SOUGHT = re.compile(r"['\"](\w+)['\"] (?:not )?in \w+")
_NO_CLASS = re.compile(r"(?:type object '\w+'|'(?:int|float|str)' object) has no attribute '(\w+)'")
_NOTHING_LEFT = re.compile(
    r"weight of size \[0,|size \[0, \d+\]|at least 1 at dimension 0|tensor of 0 elements|division.* by zero"
    r"|modulo by zero"
)
_LARGE, _COUNT = re.compile(r"\b(64|32|16)\b"), re.compile(r"^(num|n|nb)_|depth|layer|block|level|stage|repeat")
_LENGTH = re.compile(r"(?:of|have|has|with) (?:a )?(?:length|len|size) (?:of )?(\d)\b|(?:length|\)) (?:==|of|be) (\d)")
LEFT_OUT = re.compile(r"should be|must be|has to be|either|specify|provide|required|is None|not None")
"""Of messages: something was left out."""
NUMBERS = ("64", "4", "8", "1", "2", "16", "128", "224")


def suspects(attempt: Attempt, place: Place, parameters: List[str], given: Arguments) -> List[str]:
    """The parameters that the failure names, in its message or in the expression that failed."""
    quoted = [name for name, text in given.items() if text[:1] in "'\"" and is_refused(text, attempt.message)]
    if quoted and not any(name in words(attempt.message) for name in parameters):
        return quoted
    said = f"{attempt.message} {attempt.guard()} {place[2] if place else ''}"
    here = [name for name in words(said) if name in parameters]
    here += [name for name in words(attempt.switches()) if name in parameters and name not in here]
    inner = (attempt.last_text(), *(text for _, text, _ in attempt.in_modules()))
    here = here or next(
        (found for text in inner if (found := [n for n in words(text) if n in parameters])), list(given)
    )
    return _of_the_type(attempt.message, here, given) or here


def at_present(
    attempt: Attempt, named: List[str], given: Arguments, parameters: Mapping[str, inspect.Parameter]
) -> Arguments:
    """What those parameters are now: first those of which the message says which there are, and that are nothing where
    something was nothing; where several were wanted of nothing, one that the name means."""
    now = {name: given.get(name, repr(parameters[name].default)) for name in named}
    said, nothing = words(attempt.message), "NoneType" in attempt.message
    order = sorted(named, key=lambda name: (f"{name}s" not in said, nothing and now[name] != "None"))
    if re.search(SEQUENCE, attempt.message):
        counts = {name: [text for text in argument(name) if text.isdigit()] for name in named if now[name] == "None"}
        now.update({name: texts[0] for name, texts in counts.items() if texts})
    return {name: now[name] for name in order}


def _of_the_type(message: str, names: List[str], given: Arguments) -> List[str]:
    """Those that are of the type of which the message says that it cannot do something."""
    match = re.search(
        r"'(bool|int|float|str|tuple|list|dict|NoneType)' object |concatenate \w+ \(not \"(\w+)\"\)", message
    )
    kind = (match[1] or match[2]) if match is not None else ""
    return [name for name in names if name in given and kind and _type(given[name]) == kind]


def _type(text: str) -> str:
    value = value_of(text, ...)
    return type(value).__name__ if value is not ... else ""


def value_of(text: str, default: Any = None) -> Any:
    """What a literal means; the default where it is none."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return default


def is_plain(text: str, message: str) -> bool:
    """Whether it is no list, or one of numbers or texts where a message speaks of what such a one has not."""
    if text[:1] not in "[(":
        return True
    values = value_of(text)
    plain = isinstance(values, (list, tuple)) and all(isinstance(one, (int, float, str)) for one in values)
    return plain and len(values) > 0 and NO_OBJECT.search(message) is not None


def is_of_class(text: str, message: str) -> bool:
    """Whether a message speaks of the class that an argument is of."""
    made = re.match(r"(\w+)\(", text)
    return made is not None and re.search(rf"<(class ')?([\w.]+\.)?{made[1]}\b|\b{made[1]}\(", message) is not None


def missing(attempt: Attempt) -> List[str]:
    """Arguments that some function was to be given, and was not; of a module that insists on one, those left out."""
    if (match := _MISSING.search(attempt.message)) is not None:
        return re.findall(r"'(\w+)'", match[1])
    if (match := _REQUIRED.search(attempt.message)) is not None:
        return [match[1] or match[2]]
    if not isinstance(attempt.error, AssertionError):
        return []
    return [name for _, text, seen in attempt.in_modules()[:1] for name in words(text) if seen.get(name, 0) is None]


def filled_in(attempt: Attempt, parameters: List[str], given: Arguments) -> Iterator[Arguments]:
    """Arguments that are missing altogether, here or in what a dict is for; or one too many, that the constructor gives
    to the one above itself."""
    message = attempt.message
    if (match := _TWICE.search(message)) and match[1] in given:
        yield {name: text for name, text in given.items() if name != match[1]}
    if absent := missing(attempt):
        for name in (name for name in given if given[name].startswith("dict(")):
            text = given[name]
            for key in absent:
                text = extended(text, key, argument(key)[0])
            yield {**given, name: text}
        if unknown := {name: argument(name)[0] for name in absent if name in parameters and name not in given}:
            yield {**given, **unknown}
    yield from _entered(attempt, given)


def _entered(attempt: Attempt, given: Arguments) -> Iterator[Arguments]:
    """With something in tables of tensors or modules that had nothing in them, under the key that was looked up."""
    absent = absent_keys(attempt)
    key = next((repr(one) for one in absent if isinstance(one, str)), "'a'")
    entered: Arguments = {}
    for name, match in ((name, _NO_ENTRIES.fullmatch(text)) for name, text in given.items()):
        if match is not None:
            value = "nn.Identity()" if match[1].endswith("ModuleDict") else "torch.ones(64, 64)"
            entered[name] = f"{match[1]}({{{key}: {value}}})"
    if entered and (absent or re.search(r"\b(is|are) empty\b", attempt.message)):
        yield {**given, **entered}


def enlarged(
    attempt: Attempt, given: Arguments, parameters: Mapping[str, inspect.Parameter] = MappingProxyType({})
) -> Iterator[Arguments]:
    """With more of what was divided until nothing was left of it, or of what is nothing by default; with as much in
    every list as is asked of those that are named."""
    if match := _LENGTH.search(attempt.message):
        named = words(attempt.message)
        lists = {name: value_of(text) for name, text in given.items() if name in named and text[:1] in "[("}
        count = int(match[1] or match[2])
        yield {**given, **{name: repr((one * count)[:count]) for name, one in lists.items()}}
    if _NOTHING_LEFT.search(attempt.message) or _is_empty(attempt.value):
        small = {name: "64" for name, text in given.items() if text.isdigit() and 1 < int(text) < 64}
        yield from ({**given, name: text} for name, text in small.items())
        yield {**given, **small}
        unsaid = [one.name for one in parameters.values() if type(one.default) is int and one.default == 0]
        usual = {name: [*filter(str.isdigit, argument(name)), "64"][0] for name in unsaid if name not in given}
        if sizes := {name: text for name, text in usual.items() if int(text) > 1}:
            yield {**given, **sizes}


def narrowed(attempt: Attempt, given: Arguments) -> Iterator[Arguments]:
    """With much smaller sizes, where there was no end: something is done for each of them, or for what is counted."""
    few = {name: _LARGE.sub("2", text) if _COUNT.search(name) else text for name, text in given.items()}
    smaller = {name: _LARGE.sub("4", text) for name, text in given.items()}
    for fewer in (few, smaller) if isinstance(attempt.error, TooLong) else ():
        if fewer != given:
            yield fewer


def is_whole(attempt: Attempt) -> bool:
    """Whether something could be built, and nothing in it is empty."""
    return attempt.error is None and not _is_empty(attempt.value)


def _is_empty(value: Any) -> bool:
    """Whether it is a module with a weight of which nothing is left."""
    built = isinstance(value, nn.Module) and "_modules" in vars(value)
    return built and any(0 in one.shape for one in value.parameters() if not is_lazy(one))


def asked_for(attempt: Attempt, text: str, place: Place) -> Iterator[str]:
    """Other values for an argument that was `text`, by what the error says."""
    message = attempt.message
    yield from _renamed(attempt, text)
    yield from (constant for constant in attempt.compared() if constant != text)
    choice = re.search(ONE_OF, message, re.IGNORECASE) and "unsupported operand" not in message
    if isinstance(attempt.error, KeyError) or choice:
        said = re.sub(r"<class '[\w.]+'>|\bargument '\w+'", "", message)
        yield from (repr(word) for word in re.findall(r"['\"]([\w.-]+)['\"]", said)[:6] if repr(word) != text)
        if (match := _LISTED.search(message)) and not text.isdigit() and text not in ("True", "False"):
            yield from (repr(word) for word in re.findall(r"[\w.-]*\w", match[1])[:6])
    yield from (repr(key) for key in attempt.known_keys() if repr(key) != text)
    if isinstance(attempt.error, AssertionError) and place is not None:  # `assert kind in ["a", "b"]`
        said = re.findall(r"['\"]([\w.-]+)['\"]", f"{place[2]} {attempt.last_text()}")
        yield from (repr(word) for word in said[:4] if repr(word) != text)
    if match := re.search(r"expected (\d+)(?:, got| values)|len\(.*\) == (\d+)", message):
        count = int(match[1] or match[2])
        rows = value_of(text)
        if 0 < count <= 8 and isinstance(rows, (list, tuple)) and rows and isinstance(rows[0], tuple):
            yield repr([(rows[0] * count)[:count]] * len(rows))  # of each of them
        if 0 < count <= 8:
            now = [str(one) for one in rows[:1] if type(one) is int] if isinstance(rows, (list, tuple)) else []
            yield from (f"({', '.join([size] * count)},)" for size in (*now, "64", "1"))
    if match := re.search(r"(?:list|tuple|sequence) of (\d+) ", message):
        yield f"[{', '.join(['4'] * int(match[1]))}]"
    if (match := _NO_CLASS.search(message)) and place is not None:
        known = [(name, value) for name, value in place[0].f_globals.items() if is_class(value)]
        yield from [name for name, value in known if issubclass(value, nn.Module) and hasattr(value, match[1])][:4]
    yield from with_more(message, text)
    if re.search(r"\b(odd|even)\b", message) and text.isdigit():
        yield str(int(text) + 1)
    if "argument of type" in message and (match := _SOUGHT.search(attempt.last_text())):  # `"target" in config`
        yield f"dict({match[1]}={values(match[1], '')[0]})"
    if re.search(SEQUENCE, message):
        listed = value_of(text)
        each = re.search("no[nt].iterable|has no len|not subscriptable", message)  # a list for each
        if isinstance(listed, (tuple, list)) and listed and each:
            yield repr(type(listed)([(one, one) for one in listed]))
        base = text if text.isdigit() else "64"
        if "can only concatenate list" in message and isinstance(listed, tuple):
            yield repr(list(listed))
        yield from (f"({base}, {base})", f"[{', '.join([base] * 4)}]", f"({base}, {base}, {base})")
    if re.search(r"has no attribute '(split|strip|lower|upper|startswith|endswith)'", message):
        cut = re.search(r"\.split\(['\"]([^'\"]+)['\"]\)", attempt.last_text())
        yield from (f"'64{cut[1]}64'",) if cut is not None else ("'relu'", "'default'")
    if _NO_TENSORS.search(message) and text[:1] in "[(":
        yield "[torch.ones(64, 64), torch.ones(64, 64)]"
    if _NO_TENSOR.search(message):
        yield from ("torch.ones(64, 64)", "torch.ones(64)")
    elif (match := _NO_FIELD.search(message)) and match[1] in OF_TABLES:
        yield "{0: 64, 1: 64}"
    elif match and text[:6] != "types." and not hasattr(nn.Module, match[1]):
        yield f"types.SimpleNamespace({match[1]}={argument(match[1])[0]})"
    if "used as indices must be" in message and re.fullmatch(r"torch\.ones\([\d, ]+\)", text):
        yield "torch.arange(64)"
    if text == "torch.ones(64, 64)" and _NO_PICTURE.search(message):  # its shape counts
        yield "torch.ones(3, 64, 64)"
    if "singular" in message and text.startswith("torch.ones("):
        yield "torch.eye(64)"
    yield from of_kinds(attempt, text)
    yield from module_asked_for(attempt, text, place)
    if re.search(r"(must|should|has to) be (a |an )?[`']?(mapping|dict)", message):
        yield f"[{', '.join(['dict()'] * (text.count(',') + 1))}]" if text[:1] in "([" else "dict()"
    if place is not None and isinstance(attempt.error, KeyError):
        yield from keys(place[0].f_globals, text)


def _renamed(attempt: Attempt, text: str) -> Iterator[str]:
    """With other names of several, as keys of a table or in a list, where what they were looked for in says which; and
    a table of numbers with one more name that was looked for in it."""
    told = [one for one in (*attempt.compared(), *map(repr, attempt.known_keys())) if one[:1] in "'\"" and len(one) > 2]
    node = parsed(text)
    listed = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", [])
    named = all(isinstance(getattr(one, "value", None), str) for one in listed)
    if node is not None and listed and named and len(listed) <= len(told):
        names: List[ast.expr] = [ast.parse(one, mode="eval").body for one in told[: len(listed)]]
        setattr(node, "keys" if isinstance(node, ast.Dict) else "elts", names)
        yield ast.unparse(ast.fix_missing_locations(node))
    table = value_of(text)
    absent = attempt.error.args[:1] if isinstance(attempt.error, KeyError) else ()
    if isinstance(table, dict) and table and all(type(one) is int for one in table.values()):
        yield from (repr({**table, name: len(table)}) for name in absent if isinstance(name, str) and name not in table)


def extended(text: str, name: str, value: str) -> str:
    """A call with one more argument."""
    return f"{text[:-1]}{'' if text.endswith('()') else ', '}{name}={value})"
