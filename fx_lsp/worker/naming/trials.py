"""Runs of an example at other sizes: which of its sizes may vary, alone and together, and how far."""

from __future__ import annotations

import itertools
import math
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

from fx_lsp.worker.naming.made import ROLE
from fx_lsp.worker.naming.observed import Run
from fx_lsp.worker.naming.slots import Factor

Sizes = Dict[str, int]

MAX_RUNS = 40
"""At other sizes."""
JOINT = 5
"""Runs in which everything that varies does."""
MAX_STEPS = 10
"""Divisors of a size that are tried as what it has to be a multiple of."""
FAR = 4099
"""A size beyond what most models allow."""
ROUND = 64
"""Around multiples of it the quotients of convolutions change."""
NEAR = 9
"""More of a size than a quotient would swallow."""
MIN_SIZE = 2
"""One behaves in a way of its own."""


class Outcome(NamedTuple):
    """Of one run."""

    run: Optional[Run]
    error: Optional[BaseException] = None
    """Why it did not come to its end."""
    ours: bool = False
    """It is no fault of the sizes."""


class Dim:
    """One or several sizes that vary together."""

    def __init__(self, factors: List[Factor]) -> None:
        self.factors = factors
        self.size = factors[0].size
        self.step, self.low, self.high = 1, MIN_SIZE, FAR
        if factors[0].role == ROLE:  # items that are written out, or made one by one
            self.high = max(4 * self.size, ROUND)

    @property
    def name(self) -> str:
        """What it is called."""
        return self.factors[0].name

    def at(self, size: int) -> Sizes:
        """All of it at one size."""
        return {factor.name: size for factor in self.factors}


class Trials:
    """What is known of the dims of one example."""

    def __init__(
        self, base: Run, run: Callable[[Sizes], Outcome], factors: List[Factor],
        numbers: Callable[[BaseException], List[int]], *, light: bool,
    ) -> None:  # fmt: skip
        """`base` is the run at the sizes of the example; `numbers` are those that an error is about; `light`: a run
        takes no longer when sizes are large."""
        self._run, self._light, self._numbers = run, light, numbers
        self._known: Dict[Tuple[Tuple[str, int], ...], Outcome] = {}
        self._factors = factors
        self._known[tuple(sorted((one.name, one.size) for one in factors))] = Outcome(base)
        self.free: List[Dim] = []
        self.steps: List[Tuple[Dim, BaseException]] = []
        self.limits: List[Tuple[Dim, BaseException]] = []
        self.tied: List[Tuple[Dim, BaseException]] = []

    def outcome(self, sizes: Sizes) -> Outcome:
        """Of a run at these sizes, the others being those of the example."""
        changed = {one.name: sizes.get(one.name, one.size) for one in self._factors}
        key = tuple(sorted(changed.items()))
        if key not in self._known:
            full = len(self._known) > MAX_RUNS
            self._known[key] = Outcome(None, None, ours=True) if full else self._run(changed)
        return self._known[key]

    def fits(self, sizes: Sizes) -> bool:
        """Whether it runs."""
        return self.outcome(sizes).run is not None

    @property
    def runs(self) -> List[Run]:
        """Those that came to their end."""
        return [one.run for one in self._known.values() if one.run is not None]

    def counts(self, run: Run) -> bool:
        """Whether it differs from the example only in what varies, and in whole steps."""
        free = {factor.name: dim.step for dim in self.free for factor in dim.factors}
        return all(
            run.sizes[one.name] % free[one.name] == 0 if one.name in free else run.sizes[one.name] == one.size
            for one in self._factors
        )

    def explore(self) -> None:
        """Find out what varies, and how, and run a few times with all of it varied."""
        likely = [Dim([factor]) for factor in self._factors if factor.given or factor.role not in ("C", ROLE)]
        perhaps = [Dim([factor]) for factor in self._factors if factor.role == ROLE]
        if likely and self.fits(_apart(likely)):
            self.free = list(likely)
        else:
            self.free = [dim for dim in likely if self._varies(dim)]
        self.free += [dim for dim in perhaps if self._varies(dim)]
        self._tie([dim for dim in (*perhaps, *likely) if dim not in self.free])
        channels = [Dim([factor]) for factor in self._factors if not factor.given and factor.role == "C"]
        self.free += [dim for dim in channels if self.fits(dim.at(dim.size + 1))]
        while len(self.free) > 1 and not any(self.fits(_apart(self.free, sign)) for sign in (1, -1)):
            self.free.pop()
        if self.free:
            self._reach()
            self._sample(JOINT)

    def sample(self, more: int) -> None:
        """Some more runs with all of it varied."""
        self._sample(self._joint() + more)

    def _varies(self, dim: Dim) -> bool:
        if dim.factors[0].role != ROLE:
            return self._may_vary(dim)
        noted = len(self.limits), len(self.steps)
        if self._is_size(dim) and self._may_vary(dim) and self._is_size(dim):
            return True
        del self.limits[noted[0] :], self.steps[noted[1] :]
        return False

    def _is_size(self, dim: Dim) -> bool:
        """Whether it decides how large tensors are, and none of the model's own, as far as runs tell."""
        self.outcome(dim.at(dim.size + 1))
        base, *others = self.runs
        varied = [run for run in others if run.sizes[dim.name] != dim.size]
        return all(
            run.weights == base.weights and [call[2] for call in run.calls] != [call[2] for call in base.calls]
            for run in varied
        )

    def _may_vary(self, dim: Dim) -> bool:
        above = self.outcome(dim.at(dim.size + 1))
        more = next(one for one in range(NEAR, NEAR + 64) if math.gcd(one, dim.size) == 1)
        if above.run is not None:
            if self.fits(dim.at(dim.size + more)) or self.fits(dim.at(max(dim.size - more, MIN_SIZE))):
                return True  # else the one more was lost in a quotient
        elif above.error is None:
            return False
        elif dim.size - 1 >= MIN_SIZE and self.fits(dim.at(dim.size - 1)):
            dim.high = dim.size
            self.limits.append((dim, above.error))
            return True
        doubled = self.fits(dim.at(2 * dim.size))
        half = dim.size // 2
        if not doubled and (dim.size % 2 or half < MIN_SIZE or not self.fits(dim.at(half))):
            return False
        whole, sign = (dim.size, 1) if doubled else (half, -1)
        dim.step = dim.low = self._step(dim, whole, sign)
        dim.high = dim.high if doubled else dim.size
        if above.error is not None:
            self.steps.append((dim, above.error))
        return True

    def _step(self, dim: Dim, whole: int, sign: int) -> int:
        """What its size is a multiple of, a divisor of `whole`: first powers of two, from the largest down."""
        found = whole
        two = whole & -whole
        for step in [two >> shift for shift in range(two.bit_length() - 1)]:
            if not self.fits(dim.at(dim.size + sign * step)):
                break
            found = step
        if found < whole or two == whole:
            return found
        for step in [one for one in range(3, whole) if whole % one == 0][:MAX_STEPS]:
            if self.fits(dim.at(dim.size + sign * step)):
                return step
        return whole

    def _tie(self, fixed: List[Dim]) -> None:
        """Sizes that vary only together."""
        for size in dict.fromkeys(dim.size for dim in fixed):
            same = [dim for dim in fixed if dim.size == size]
            if len(same) < 2:
                continue
            joined = Dim([factor for dim in same for factor in dim.factors])
            error = self.outcome(same[1].at(size + 1)).error
            if self._varies(joined):
                self.free.append(joined)
                if error is not None:
                    self.tied.append((joined, error))

    def _reach(self) -> None:
        """How large they may be."""
        if not self._light or self._grows():
            for dim in self.free:
                dim.high = min(dim.high, 2 * dim.size + 8 * dim.step)
            return
        far = [dim for dim in self.free if dim.high == FAR and dim.factors[0].role != "B"]
        if not far or self.fits(_all(far, _far)):
            return
        apart = _apart(self.free)
        beside = apart if self.fits(apart) else {}  # so that a run at the largest size varies the others too
        for dim in far:
            outcome = self.outcome(dim.at(_far(dim)))
            if outcome.run is None:
                self._limit(dim, outcome, beside)

    def _limit(self, dim: Dim, outcome: Outcome, beside: Sizes) -> None:
        dim.high, far = dim.size, _far(dim)
        for limit in self._numbers(outcome.error) if outcome.error is not None and not outcome.ours else ():
            if limit in (far, far - 1):
                continue  # the size that was tried, which is compared or named in the message
            limit -= limit % dim.step
            if dim.size <= limit < FAR and self.fits({**beside, **dim.at(limit)}):
                dim.high = max(dim.high, limit)
                above = self.outcome(dim.at(limit + dim.step))
                if above.run is None and above.error is not None and not above.ours:
                    self.limits.append((dim, above.error))
                    return
        for size in (2 * dim.size, 4 * dim.size):
            if dim.high < size and self.fits(dim.at(size)):
                dim.high = size

    def _grows(self) -> bool:
        """Whether a larger size takes more steps."""
        base, *others = self.runs
        return any(len(one.calls) > len(base.calls) for one in others)

    def _joint(self) -> int:
        return sum(all(run.sizes[dim.name] != dim.size for dim in self.free) for run in self.runs)

    def _sample(self, wanted: int) -> None:
        draws = [list(_draws(dim, number)) for number, dim in enumerate(self.free)]
        for attempt in range(2 * wanted):
            if self._joint() >= wanted:
                return
            sizes = {
                factor.name: some[attempt % len(some)] if some else dim.size
                for dim, some in zip(self.free, draws)
                for factor in dim.factors
            }
            self.outcome(sizes)
        for dim, some in zip(self.free, draws):  # together they do not go
            for size in some[:wanted]:
                self.outcome(dim.at(size))


def _all(dims: List[Dim], size: Callable[[Dim], int]) -> Sizes:
    return {factor.name: size(dim) for dim in dims for factor in dim.factors}


def _apart(dims: List[Dim], sign: int = 1) -> Sizes:
    """A little more of each, or less: equal ones become different, and no divisor of a size stays one."""
    sizes: Sizes = {}
    for number, dim in enumerate(dims):
        units = dim.size // dim.step
        more = sign * [one for one in range(1, 64) if math.gcd(one, units) == 1][number] * dim.step
        fits = dim.low <= dim.size + more <= dim.high or not dim.low <= dim.size - more <= dim.high
        sizes.update(dim.at(dim.size + more if fits else dim.size - more))
    return sizes


def _far(dim: Dim) -> int:
    return dim.step * -(-FAR // dim.step)


def _draws(dim: Dim, number: int) -> Iterator[int]:
    """Sizes around multiples of `ROUND`, then near the example's and the largest: no two dims in step."""
    units, most = dim.size // dim.step, dim.high // dim.step
    base = units // ROUND + 1
    round_ = [ROUND * (base + 2 * number) - 1, ROUND * (base + 2 + number) + 1, ROUND * (base + 1 + number)]
    other = [ROUND * base + 11 * number + more for more in (83, 18, 113, 46, 74, 29)]
    large = [one for pair in itertools.zip_longest(round_, other) for one in pair if one is not None]
    near = [units + 2 + number, 2 * units + 3 + number, units + 3, most, most - 1, units + 5, (units + most) // 2]
    near += [units - 1 - number, units * 3 // 4, units - 4 + number, units // 2 + number, units - 3, units * 2 // 3]
    near += [units + 4, units - 2, 2 * units + 1, 3 * units + 2, units - 5, units - 7, units + 6]
    mixed = [one for pair in itertools.zip_longest(large, near) for one in pair if one is not None]
    turned = mixed[number % 3 :] + mixed[: number % 3]
    for unit in dict.fromkeys(turned):
        size = unit * dim.step
        if dim.low <= size <= min(dim.high, 8 * dim.size + 8 * ROUND) and size != dim.size:
            yield size
