"""What all roots of a session share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fx_lsp.server.host import Launch
from fx_lsp.server.texts import Texts
from fx_lsp.server.user_config import UserFile

if TYPE_CHECKING:
    from fx_lsp.server.cache import Cache


@dataclass(frozen=True)
class World:
    """One for each engine."""

    texts: Texts
    environment: Mapping[str, str]
    launch: Launch
    user: UserFile
    log: Callable[[str], None]
    cache: Cache | None = None
    """What earlier sessions found; None: nothing is remembered."""
    analyst: Executor = field(default_factory=lambda: ThreadPoolExecutor(1, thread_name_prefix="analyst"))

    async def close(self) -> None:
        """Nothing is analysed any more, and what was found is written."""
        self.analyst.shutdown(wait=False, cancel_futures=True)
        if self.cache is not None:
            await self.cache.close()
