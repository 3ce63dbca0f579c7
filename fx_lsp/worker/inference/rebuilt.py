"""What a `forward` that failed asks for of the constructor: other arguments, best first."""

from __future__ import annotations

import itertools
from typing import Iterator

from fx_lsp.worker.inference import conditions
from fx_lsp.worker.inference.asserted import compared_sizes
from fx_lsp.worker.inference.attempts import Attempt, Built
from fx_lsp.worker.inference.constructors import Constructor
from fx_lsp.worker.inference.corrections import Arguments, enlarged, narrowed
from fx_lsp.worker.inference.mismatches import mismatches
from fx_lsp.worker.inference.resizing import as_large, as_met, divisible, of_more_rows, of_other_rank, positive, resized
from fx_lsp.worker.inference.variants import variants

MAX_SIZES = 4
"""Sizes in the place of others that are tried before what is asked for by name."""


def other_arguments(constructor: Constructor, built: Built, attempt: Attempt) -> Iterator[Arguments]:
    """Those that are worth a try after a failure of what was built."""
    given = dict(built.arguments)
    live = {**vars(built.instance)}
    for name, text in conditions.wanted(attempt, built.instance, constructor.values(given), constructor.options):
        yield {**given, name: text}
    for more in (enlarged, narrowed, of_more_rows, of_other_rank, divisible):
        yield from more(attempt, given)
    yield from positive(constructor.parameters, attempt, given)
    yield from constructor.completed(attempt, given)
    yield from constructor.mended(attempt, given, live, "")
    pairs, parameters = [*mismatches(attempt), *compared_sizes(attempt)], constructor.parameters
    for pair in pairs[:1]:
        yield from as_large(parameters, given, *pair)
    sizes = (change for pair in pairs for change in resized(parameters, given, *pair))
    yield from itertools.islice(sizes, MAX_SIZES)
    yield from constructor.asked_for(attempt, given, built.instance)
    yield from itertools.chain(sizes, as_met(attempt, given) if pairs else ())
    yield from variants(constructor, built)
