"""What an example costs at other sizes of its dims than its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from fx_lsp.analysis.snapshot import Trace
from fx_lsp.model.costs import Costs
from fx_lsp.server.folder import Folder
from fx_lsp.server.studies import find, studies
from fx_lsp.server.turns import Urgency

STUDY, FORMULAS = "training_costs", "varied_costs"
"""Which studies find it."""


async def costs(folder: Folder, trace: Trace, wished: Mapping[str, int]) -> tuple[Costs | None, str]:
    """What the example costs with some of its dims of the sizes `wished` for, and why that is not all.

    Raises:
        Cancelled: a newer edit cancelled the run.
    """
    return await _asked(folder, STUDY, trace, wished)


async def formulas(folder: Folder, trace: Trace, wished: Mapping[str, int]) -> tuple[Costs | None, str]:
    """What the example computes as a function of its dims, and why that is not known; nothing and no reason where no
    dims are named, since somebody wrote numbers.

    Raises:
        Cancelled: a newer edit cancelled the run.
    """
    return await _asked(folder, FORMULAS, trace, wished)


async def _asked(folder: Folder, study: str, trace: Trace, wished: Mapping[str, int]) -> tuple[Costs | None, str]:
    key = folder.key(trace.example, wished) if wished else None
    asked = replace(trace, call=key.call, dims=tuple(wished.items())) if key is not None else trace
    reply = await find(folder, studies()[study], asked, Urgency.ASKED_FOR)
    if reply is None:
        return None, ""
    return reply.costs, reply.failure.message if reply.failure is not None else ""
