"""Sizes that met in what failed and do not go together, by its message and its arguments."""

from __future__ import annotations

import re
from typing import Iterator, Tuple

from fx_lsp.worker.inference.attempts import Attempt

_PAIRS = (
    r"tensor a \((\d+)\).*tensor b \((\d+)\)", r"(\d+) and (\d+)", r"Expected size (\d+) but got size (\d+)",
    r"[Ee]xpected .*?(\d+).*got.*?(\d+)", r"(\d+)x\d+ and \d+x(\d+)", r"(\d+) != (\d+)", r"\d+x(\d+) and (\d+)x\d+",
    r"dimensions of batch2 tensor to be: \[\d+, (\d+)\] but got: \[\d+, (\d+)\]",
    r"to have (\d+) channels, but got (\d+)", r"(\d+)\D{0,40}(?:multiple of|divisible by)\D{0,9}(\d+)",
    r"has size (\d+) for operand .*previously seen size (\d+)",
    r"shape \W*[(\[][\w, ]*?(\d+)[)\]]\W* but got shape .*?(\d+)[)\]]",
)  # fmt: skip
_DIVIDED = re.compile(r"axis of length (\d+) in chunks of (\d+)|(\d+)\D{0,40}(?:multiple of|divisible by)\D{0,9}(\d+)")
SPLIT = re.compile(r"sum exactly to (\d+).*split_sizes=\[([\d, ]+)\]")
_BINS = re.compile(r"n_fft=(\d+),.*expected the frequency dimension.*match n_fft( / 2 \+ 1)? when.*got (\d+)")
"""Of `torch.istft` (torch 2.13)."""


def mismatches(attempt: Attempt) -> Iterator[Tuple[int, int]]:
    """Pairs of sizes that met and do not go together."""
    message = attempt.message
    if match := SPLIT.search(message):
        yield int(match[1]), sum(map(int, re.findall(r"\d+", match[2])))
    if match := _BINS.search(message):
        whole, one_sided, got = int(match[1]), match[2] is not None, int(match[3])
        yield got, whole // 2 + 1 if one_sided else whole
    for pattern in _PAIRS:
        for one, other in re.findall(pattern, message)[:2]:
            if one != other:
                yield int(one), int(other)
    for match in _DIVIDED.finditer(message):
        size, part = (int(number) for number in match.groups() if number is not None)
        if part and size % part:
            yield size, max(size // part, 1) * part
    if attempt.watch.failing is not None:
        _, shapes, _ = attempt.watch.failing
        met = [(shape, other) for number, shape in enumerate(shapes[:3]) for other in shapes[number + 1 : 3]]
        pairs = [pair for shape, other in met for pair in zip(reversed(shape), reversed(other))]
        yield from sorted((pair for pair in pairs if pair[0] != pair[1]), key=lambda pair: 1 in pair)  # 1 goes with any
