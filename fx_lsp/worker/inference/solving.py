"""Sizes of inputs by what an operation got in vain: it runs again with one size changed at a time, which says what each
of them adds to what met there, and what they would have to be.

This is for what no single size says: channels of several inputs that add up, one more feature than was given, a width
that is a multiple of what came in.
"""

from __future__ import annotations

import os
import re
from fractions import Fraction
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from fx_lsp.worker.engines.known import TORCH
from fx_lsp.worker.inference.attempts import Attempt, position
from fx_lsp.worker.inference.changes import MAX_SIZE
from fx_lsp.worker.inference.groups import flat, folded
from fx_lsp.worker.inference.inputs import Inputs, Tensor

AFTER = 3
"""Failures that got no further before the inputs are measured."""
MAX_ROUNDS = 8
"""Places at which the inputs of one module are measured."""
MAX_PROBES = 40
"""Runs to measure them at one place."""
MAX_BOUND = 3
"""Other dims that change with one."""
_CONVOLUTION = re.compile(r"conv(_transpose)?[123]d")
_PRODUCTS = ("matmul", "__matmul__", "__rmatmul__", "mm", "bmm")
_JOINING = ("cat", "concat", "concatenate")
_JOINED = re.compile(r"except in dimension (\d+)")

NOT_THE_MODELS = ("<", TORCH, os.path.dirname(os.path.dirname(__file__)) + os.sep)
"""What begins the name of files with other code: the text of the call, which is another one each time, torch, and what
runs it all.  Of an instruction Python 3.11 tells its number by what ran there before."""
Place = Tuple[Tuple[Any, ...], ...]
"""The expressions that led to what failed: their code, and where they stand in it."""
_Dim = Tuple[str, int]
"""Of one of the inputs."""
Moves = Dict[_Dim, Fraction]
"""By how much sizes are changed."""
_Gap = Tuple[int, int]
"""Of which two tensors, and of which of their dims."""


class Solver:
    """Measures the inputs of one module with which it got furthest, once others did not get further."""

    def __init__(self, call: Callable[[Inputs], Attempt]) -> None:
        self.call = call
        self.operations = -1
        """That ran before the failure that is furthest."""
        self._furthest: Optional[Tuple[Attempt, Inputs]] = None
        self._since = self._measured = 0

    def solved(self, attempt: Attempt, inputs: Inputs) -> Iterator[Inputs]:
        """Told of each failure: inputs of other sizes, with which the operation that failed furthest gets what it
        wants, once some others did not get further."""
        self._since += 1
        if attempt.watch.operations > self.operations:
            self.operations, self._furthest, self._since = attempt.watch.operations, (attempt, inputs), 0
        if self._furthest is None or self._since != AFTER or self._measured >= MAX_ROUNDS:
            return
        if any(_gaps(self._furthest[0]).values()):
            self._measured += 1
            yield from _Measured(self.call, *self._furthest).solutions()


class _Measured:
    """What each size of the inputs does to sizes that met where it failed."""

    def __init__(self, call: Callable[[Inputs], Attempt], attempt: Attempt, inputs: Inputs) -> None:
        self.call, self.inputs, self.parts = call, inputs, flat(inputs)
        self.place = place_of(attempt)
        self.wrong, self.gap = next(one for one in _gaps(attempt).items() if one[1])
        self.effects: List[Tuple[Moves, Fraction]] = []
        """By how much more or less it is off, for changes of sizes."""
        self._bound: Dict[Tuple[Place, _Gap], Dict[_Dim, Fraction]] = {}
        """What had to be equal before it failed, and by how much it is not, for one place more in some dim."""
        self._runs: Dict[str, Tuple[Place, Dict[_Gap, int]]] = {}

    def solutions(self) -> Iterator[Inputs]:
        """The inputs with sizes that go together there."""
        stuck = [moves for dims in dims_of(self.parts) for moves in self._moved(dims)]
        for moves in stuck:
            self._completed(moves)
        alone = {dim: effect / more for moves, effect in self.effects if len(moves) == 1 for dim, more in moves.items()}
        alone = {dim: effect for dim, effect in alone.items() if effect > 0 and effect.denominator == 1}
        for sizes in _shared(self.parts, alone, self.gap) if len(alone) > 1 else ():
            yield from self._resized({dim: size - size_of(self.parts, dim) for dim, size in sizes.items()})
        for moves, effect in self.effects:
            yield from self._resized({dim: more * -self.gap / effect for dim, more in moves.items()})

    def _moved(self, dims: Tuple[_Dim, ...]) -> Iterator[Moves]:
        """Measure some dims together; what ends before it comes to where it failed is left."""
        for more in dict.fromkeys((1, size_of(self.parts, dims[0]))):
            moves = dict.fromkeys(dims, Fraction(more))
            place, gaps = self._run(moves)
            if place == self.place:
                if self._noted(moves, gaps):
                    return
            elif any(gaps.values()):
                if len(dims) == 1:
                    for one, gap in gaps.items():
                        self._bound.setdefault((place, one), {})[dims[0]] = Fraction(gap, more)
                yield moves
                return

    def _completed(self, moves: Moves) -> None:
        """Measure them with changes of other dims, so that what had to be equal before still is."""
        for _ in range(MAX_BOUND):
            place, gaps = self._run(moves)
            if place == self.place:
                self._noted(moves, gaps)
                return
            one, gap = next((each for each in gaps.items() if each[1]), ((0, 0), 0))
            others = self._bound.get((place, one), {})
            free = [dim for dim, effect in others.items() if dim not in moves and effect]
            if not free:
                return
            moves = {**moves, free[0]: -gap / others[free[0]]}

    def _noted(self, moves: Moves, gaps: Dict[_Gap, int]) -> bool:
        effect = Fraction(gaps.get(self.wrong, self.gap) - self.gap)
        if effect:
            self.effects.append((moves, effect))
        return bool(effect)

    def _run(self, moves: Moves) -> Tuple[Place, Dict[_Gap, int]]:
        """Where it fails with some sizes changed, and what is off there."""
        changed = next(self._resized(moves), None)
        said = str(changed)
        if changed is not None and said not in self._runs and len(self._runs) < MAX_PROBES:
            attempt = self.call(changed)
            self._runs[said] = place_of(attempt), _gaps(attempt)
        return self._runs.get(said, ((), {}))

    def _resized(self, moves: Moves) -> Iterator[Inputs]:
        """With sizes changed by so much, where that can be."""
        sizes = {dim: size_of(self.parts, dim) + more for dim, more in moves.items()}
        if all(Fraction(size).denominator == 1 and 0 < size <= MAX_SIZE for size in sizes.values()):
            yield folded(with_sizes(self.parts, {dim: int(size) for dim, size in sizes.items()}), self.inputs)


def _shared(parts: Inputs, effects: Moves, gap: int) -> Iterator[Moves]:
    """All of them changed: in the same proportion, and by equal parts."""
    total = sum(effect * size_of(parts, dim) for dim, effect in effects.items())
    wanted = total - gap
    if wanted < sum(effects.values()):
        return
    yield {dim: size_of(parts, dim) * wanted / total for dim in effects}
    equal = dict.fromkeys(effects, Fraction(wanted // sum(effects.values())))
    first, effect = next(iter(effects.items()))
    rest = wanted - sum(effects[dim] * size for dim, size in equal.items())
    yield {**equal, first: equal[first] + rest / effect}


def dims_of(parts: Inputs) -> List[Tuple[_Dim, ...]]:
    """Dims of one input, the last ones first, then all that have the same size."""
    single = [
        (name, place) for name, one in parts.items() if isinstance(one, Tensor) for place in range(len(one.shape))
    ]
    single.sort(key=lambda dim: dim[1] == 0)
    sizes = list(dict.fromkeys(size_of(parts, dim) for dim in single))
    alike = [tuple(dim for dim in single if size_of(parts, dim) == size) for size in sizes]
    return [*((dim,) for dim in single), *(dims for dims in alike if len(dims) > 1)]


def size_of(parts: Inputs, dim: _Dim) -> int:
    """Of a dim of a tensor."""
    one = parts[dim[0]]
    assert isinstance(one, Tensor), dim
    return one.shape[dim[1]]


def with_sizes(parts: Inputs, sizes: Mapping[_Dim, int]) -> Inputs:
    """Tensors with other sizes of some dims."""
    changed = dict(parts)
    for (name, place), size in sizes.items():
        one = changed[name]
        assert isinstance(one, Tensor), name
        changed[name] = one.resized((*one.shape[:place], size, *one.shape[place + 1 :]))
    return changed


def place_of(attempt: Attempt) -> Place:
    """The expressions that led to a failure, outside of torch, whose way to it is another one once sizes are kept."""
    trace, found = attempt.error.__traceback__ if attempt.error is not None else None, []
    while trace is not None:
        code = trace.tb_frame.f_code
        if not code.co_filename.startswith(NOT_THE_MODELS):
            known = position(trace)
            found.append((code, *(known if known[0] else (trace.tb_lineno, trace.tb_lasti))))
        trace = trace.tb_next
    return tuple(found)


def _gaps(attempt: Attempt) -> Dict[_Gap, int]:
    """By how much sizes differ that have to be equal in the operation that failed; nothing where that is not known."""
    return {where: one - other for where, (one, other) in met(attempt).items()}


def met(attempt: Attempt) -> Dict[_Gap, Tuple[int, int]]:
    """The sizes that have to be equal in the operation that failed; nothing where these are not known."""
    if attempt.error is None or attempt.watch.failing is None:
        return {}
    name, tensors, args = attempt.watch.failing
    shapes = [tuple(map(int, shape)) for shape in tensors]
    if len(shapes) < 2 or not shapes[0] or not shapes[1]:
        return {}
    one, other = shapes[:2]
    if convolution := _CONVOLUTION.fullmatch(name):
        if len(one) != len(other) or len(one) < 2:
            return {}
        groups = next((given for given in args[6:7] if isinstance(given, int)), 1)
        return {(0, 1): (one[1], other[0] if convolution[1] else other[1] * groups)}
    if name in ("linear", "rnn", "lstm", "gru"):
        return {(0, -1): (one[-1], other[-1])}
    if name in ("batch_norm", "instance_norm", "group_norm"):
        return {(0, 1): (one[1], other[0])} if len(one) > 1 else {}
    if name in ("layer_norm", "rms_norm"):
        return {(0, -at): (one[-at], other[-at]) for at in range(1, min(len(one), len(other)) + 1)}
    if name in _PRODUCTS:
        return {(0, -1): (one[-1], other[-2])} if len(other) > 1 else {}
    if name in _JOINING:
        said = _JOINED.search(attempt.message)
        return dict(_pairwise(shapes, int(said[1]) if said is not None else -1))
    return _aligned(one, other) if re.search(r"broadcast|match the size|tensor a \(", attempt.message) else {}


def _pairwise(shapes: Sequence[Tuple[int, ...]], joined: int) -> Iterator[Tuple[_Gap, Tuple[int, int]]]:
    """Of what is joined along a dim: all others are equal."""
    for number, shape in enumerate(shapes[1:], 1):
        if len(shape) == len(shapes[0]):
            yield from (((number, at), (shape[at], shapes[0][at])) for at in range(len(shape)) if at != joined)


def _aligned(one: Tuple[int, ...], other: Tuple[int, ...]) -> Dict[_Gap, Tuple[int, int]]:
    """Of what is broadcast: the last dims are equal, or one."""
    places = range(1, min(len(one), len(other)) + 1)
    return {(0, -at): (one[-at], other[-at]) for at in places if 1 not in (one[-at], other[-at])}
