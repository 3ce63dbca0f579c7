"""Inputs that hold others: dicts with keys and objects with attributes.  What is in them is what a `forward` that
failed asked them for.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Callable, Dict, FrozenSet, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import torch

from fx_lsp.worker.inference.attempts import Attempt
from fx_lsp.worker.inference.inputs import IDS, LENGTH, Group, Input, Inputs, Plain, Tensor, member
from fx_lsp.worker.inference.ranks import known_ranks

MAX_MEMBERS = 16
"""Of one group."""
NAMESPACE = "types.SimpleNamespace"
LISTS = ("[]", "()")
_ABSENT = re.compile(r"'([\w.]+)' object has no attribute '(\w+)'")
_INDEXED = re.compile(r"\w\[['\"]([\w./-]+)['\"]\]")
_SOUGHT = re.compile(r"['\"](\w+)['\"] (?:not )?in\b")
_BY_NAME = re.compile(r"\w\[([A-Za-z_][\w.]*)\]")
_ROUNDED = re.compile(r"\w\[[^\]]+\](?:\.to\([\w.]+\))?\.(?:long|int)\(\)")
"""What is looked up there is made a whole number."""
_TOO_FEW = re.compile(r"index out of range|not enough values to unpack \(expected (?:at least )?(\d+)")
_JOINED = re.compile(r"\b(?:cat|concat|concatenate|[hvd]?stack)\(\s*([A-Za-z_][\w.]*)(?:\[['\"](\w+)['\"]\])?")
_NO_LIST = re.compile(r"must be (?:a )?(?:tuple|list) of Tensors, not")
_STEP = "step must be greater than zero"
_BACKWARDS = re.compile(r"\b([A-Za-z_]\w*)(?:\[[\w:. -]*\])*\[[\w. -]*:[\w. -]*:\s*-")
_NO_KEYS = (TypeError, IndexError, ValueError)
_EDGES = re.compile(r".*(edge_index|edges|adj_t)")
_END = re.compile(r"_?(idx|index)_?[ij]|senders?|receivers?|edge_(src|dst)|(src|dst)_(idx|index)")
_OF_EACH = re.compile(r"(.*_)?batch(_(index|idx|ids?|vector))?")
_OF_GRAPH = {
    re.compile(rf"{_OF_EACH.pattern}|node_types?|{_END.pattern}|_?idx_m|_?atomic_numbers?"):
        Tensor("i64", (LENGTH,)),
    re.compile(r"_?(r|dir|v|vec|rel)_?ij|_?(pos(itions?)?|coord(inate)?s?)", re.IGNORECASE): Tensor("f32", (LENGTH, 3)),
    re.compile(r"_?(d|[rf]_?cut|cutoff|dist(ance)?s?)_?ij", re.IGNORECASE): Tensor("f32", (LENGTH,)),
}  # fmt: skip
"""What is given for each node or each edge, of which there are as many: which of several, where, how far away."""

ByName = Callable[[str], List[Input]]
Key = Union[str, int]


def flat(inputs: Inputs) -> Inputs:
    """With the members of groups in their place."""
    return {part: value for name in inputs for part, value in _parts(inputs, name)}


def members(inputs: Inputs, name: str) -> List[str]:
    """What an input is called in `flat`: itself, or its members."""
    return [part for part, _ in _parts(inputs, name)]


def folded(changed: Inputs, inputs: Inputs) -> Inputs:
    """What `flat` made of `inputs`, with changes, in groups again."""
    found: Inputs = {}
    for name, value in inputs.items():
        parts = [changed[part] for part in members(inputs, name)]
        found[name] = _with(value, parts) if isinstance(value, Group) else parts[0]
    return found


def grouped(attempt: Attempt, inputs: Inputs, suspects: Sequence[str], code: str, by_name: ByName) -> Iterator[Inputs]:
    """With what was asked for of an input that has it not: a key or an attribute."""
    text = " ".join([code, attempt.last_text(), *(inner for _, inner, _ in attempt.in_modules()[:1])])
    key, maker = _asked(attempt, text)
    if key is None or known_ranks(attempt):
        return
    for name in dict.fromkeys([*suspects, *inputs]):
        value = inputs.get(name)
        if isinstance(value, Group):
            if value.maker == maker and len(value.members) < MAX_MEMBERS and key not in dict(value.members):
                more = _as_graph(Group(maker, (*value.members, (key, _member(key, value, by_name)))))
                if is_graph(dict(more.members)) and re.search(rf"\w\[\w+\.{key}\]", text):  # one row for each of its
                    more = Group(maker, (*more.members[:-1], (key, Tensor("i64", (LENGTH,)))))
                yield {**inputs, name: more}
        elif isinstance(value, Tensor):
            first = Tensor(value.dtype, value.shape) if value.wrap != "{0}" else _plain(by_name(str(key))[0])
            if _ROUNDED.search(text):
                first = IDS
            yield {**inputs, name: Group(maker, ((key, first),))}


def pyramids(pairs: List[Tuple[int, int]], inputs: Inputs) -> Iterator[Inputs]:
    """Maps of features, each half as large as the one before, in the place of maps of one size; `pairs` are of sizes
    that met and differ."""
    twice = any(one == 2 * other or other == 2 * one for one, other in pairs)
    for name, group in apart(inputs).items() if twice else ():
        maps = [value for _, value in group.members if isinstance(value, Tensor) and len(value.shape) == 4]
        if group.maker in LISTS and len(maps) == len(group.members):
            side = max(maps[0].shape[-1], 1 << len(maps))
            sizes = [side >> step for step in range(len(maps))]
            for order in (sizes, sizes[::-1]):
                levels = [tensor.resized((*tensor.shape[:2], size, size)) for tensor, size in zip(maps, order)]
                yield {**inputs, name: _with(group, list(levels))}


def longer(attempt: Attempt, inputs: Inputs) -> Iterator[Inputs]:
    """Lists with more tensors in them, where there were too few."""
    match = _TOO_FEW.search(attempt.message)
    for name, group in apart(inputs).items() if match is not None else ():
        count, last = len(group.members), group.members[-1][1]
        for length in [int(match[1])] if match[1] else (count + 1, count + 2):
            added = tuple((number, last) for number in range(count, min(length, MAX_MEMBERS)))
            yield {**inputs, name: Group(group.maker, (*group.members, *added))}


def apart(inputs: Inputs) -> Dict[str, Group]:
    """Lists of tensors, so that each of them may have its own shape."""
    found: Dict[str, Group] = {}
    for name, value in inputs.items():
        if isinstance(value, Tensor) and re.fullmatch(r"[\[(](\{0\}(, )?)+,?[\])]", value.wrap):
            single = Tensor(value.dtype, value.shape)
            members = tuple((number, single) for number in range(value.wrap.count("{0}")))
            found[name] = Group(value.wrap[0] + value.wrap[-1], members)
        elif isinstance(value, Group) and value.maker in LISTS:
            found[name] = value
    return found


def turned(attempt: Attempt, inputs: Inputs) -> Iterator[Inputs]:
    """With a list of tensors in the place of one that was to be gone through from its end: `maps[::-1]`."""
    text = " ".join([attempt.last_text(), *(inner for _, inner, _ in attempt.in_modules()[:1])])
    names = _BACKWARDS.findall(text) if _STEP in attempt.message else []
    whole = {**inputs, **apart(inputs)}
    parts = flat(whole)
    for held in (attempt.input_of(attempt.last_value(name)) for name in names):
        one = parts.get(held)
        if isinstance(one, Tensor) and one.wrap == "{0}":
            for wrap in ("[{0}, {0}]", "[{0}]"):
                yield folded({**parts, held: replace(one, wrap=wrap)}, whole)


def gathered(attempt: Attempt, inputs: Inputs) -> Iterator[Inputs]:
    """With a list of tensors in the place of one, also of one in a dict, that was to be joined: `cat(batch["x"])`."""
    for name, key in _JOINED.findall(attempt.last_text()) if _NO_LIST.search(attempt.message) else ():
        value = attempt.last_value(name)
        held = attempt.input_of(value[key] if key and isinstance(value, dict) and key in value else value)
        one = flat(inputs).get(held)
        if isinstance(one, Tensor) and one.wrap == "{0}":
            yield folded({**flat(inputs), held: replace(one, wrap="[{0}, {0}]")}, inputs)


def renamed(attempt: Attempt, inputs: Inputs) -> Iterator[Inputs]:
    """With the keys of a table, of the parts of a module perhaps, in which one of a dict was looked up in vain."""
    sought, known = attempt.error.args[:1] if isinstance(attempt.error, KeyError) else (), attempt.known_keys()
    for name, value in inputs.items() if known else ():
        if isinstance(value, Group) and not value.maker and {*sought} & {key for key, _ in value.members}:
            yield {**inputs, name: Group("", tuple((key, value.members[0][1]) for key in known))}


def _asked(attempt: Attempt, text: str) -> Tuple[Optional[Key], str]:
    """The key or the attribute that is absent, and what makes something that has one."""
    if match := _ABSENT.search(attempt.message):
        if match[2] in ("get", "pop", "items", "keys", "values", "setdefault"):
            looked_up = re.search(r"\.(?:get|pop|setdefault)\(\s*['\"](\w+)", text)
            return looked_up[1] if looked_up else "x", ""
        read = re.search(rf"\w\.{match[2]}\b(?!\()", text)
        return (match[2], NAMESPACE) if read and not hasattr(torch.Tensor, match[2]) else (None, "")
    if isinstance(attempt.error, KeyError) and attempt.error.args and type(attempt.error.args[0]) in (str, int):
        return attempt.error.args[0], ""
    if "Tensor.__contains__" in attempt.message or isinstance(attempt.error, AssertionError):
        sought = _SOUGHT.search(attempt.last_text() if isinstance(attempt.error, AssertionError) else text)
        if sought is not None:
            return sought[1], ""
    if not isinstance(attempt.error, _NO_KEYS):
        return None, ""
    if indexed := _INDEXED.search(text):
        return indexed[1], ""
    named = re.search(r"'str'|too many indices", attempt.message) is not None
    keys = (attempt.last_value(name) for name in _BY_NAME.findall(text)) if named else ()
    return next((key for key in keys if isinstance(key, str)), None), ""


def _member(key: Key, group: Group, by_name: ByName) -> Union[Tensor, Plain]:
    """By its name, or, where keys only count, like the one before it."""
    last = group.members[-1]
    if isinstance(key, int) or re.sub(r"\d+", "", key) == re.sub(r"\d+", "", str(last[0])):
        return last[1]
    return _plain(by_name(key)[0])


def _plain(value: Input) -> Union[Tensor, Plain]:
    return Plain(str(value)) if isinstance(value, Group) else value


def with_keys(keys: Mapping[str, bool], by_name: ByName) -> List[Group]:
    """Dicts that have them: all, and those that are needed."""
    found: List[Group] = []
    for wanted in dict.fromkeys((tuple(keys), tuple(key for key, needed in keys.items() if needed) or tuple(keys)[:1])):
        group = Group("", ((wanted[0], _plain(by_name(wanted[0])[0])),))
        for key in wanted[1:MAX_MEMBERS]:
            group = Group("", (*group.members, (key, _member(key, group, by_name))))
        found.append(_as_graph(group))
    return found


def is_graph(names: Iterable[object], code: str = "") -> bool:
    """Whether one of them says which nodes are joined, or one the first and another the second of each two, or one to
    which of several graphs each belongs, by what `code` does with it."""
    listed = [str(name) for name in names]
    if any(re.search(rf"\[{name}\]|\b{name}\.max\(", code) for name in listed if _OF_EACH.fullmatch(name)):
        return True
    return any(map(_EDGES.fullmatch, listed)) or sum(1 for name in listed if _END.fullmatch(name)) > 1


def places(names: Iterable[str], code: str) -> FrozenSet[str]:
    """Those of a graph that say which rows of another one are meant: `nodes[source]`."""
    listed = list(names)
    found = set(re.findall(r"\b(\w+)\[(\w+)\]", code))
    return frozenset(one for whole, one in found if whole in listed and one in listed)


def of_nodes(name: object, value: Input, rows: FrozenSet[str] = frozenset()) -> Input:
    """What a graph has of that name: nodes are rows, and some say to which of several graphs each belongs; `rows`
    are known to say which are meant."""
    if name in rows:
        is_mask = isinstance(value, Tensor) and value.dtype == "b8"
        return value if is_mask or isinstance(value, (Plain, Group)) else Tensor("i64", (LENGTH,))
    known = next((tensor for pattern, tensor in _OF_GRAPH.items() if pattern.fullmatch(str(name))), None)
    if known is not None:
        return known
    if not isinstance(value, Tensor) or value.wrap != "{0}" or _EDGES.fullmatch(str(name)):
        return value
    if value == IDS:
        return value.resized((LENGTH,))
    rank = len(value.shape) if value.dtype == "f32" else 0
    return value.resized((LENGTH, value.shape[-1])) if rank == 3 or (rows and rank == 4) else value


def beside(inputs: Inputs, name: str, one: Input) -> Inputs:
    """With an input in the place of another; what stands beside a graph is of its nodes."""
    graph = isinstance(one, Group) and is_graph(key for key, _ in one.members)
    others = {key: of_nodes(key, value) if graph else value for key, value in inputs.items()}
    return {**others, name: one}


def _as_graph(group: Group) -> Group:
    if not is_graph(name for name, _ in group.members):
        return group
    return Group(group.maker, tuple((name, _plain(of_nodes(name, value))) for name, value in group.members))


def _parts(inputs: Inputs, name: str) -> Iterator[Tuple[str, Input]]:
    value = inputs[name]
    if isinstance(value, Group):
        yield from ((member(name, key), part) for key, part in value.members)
    else:
        yield name, value


def _with(group: Group, values: List[Input]) -> Group:
    return Group(group.maker, tuple((key, _plain(value)) for (key, _), value in zip(group.members, values)))
