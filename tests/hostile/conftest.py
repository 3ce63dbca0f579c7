"""Worlds that tests share: one for each configuration, working through its modules while tests read what came out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from tests.hostile import namespaces
from tests.hostile.catalog import Hostile, catalog
from tests.hostile.layers import ALL
from tests.hostile.runs import STRANGER, Run

HOSTILE = catalog()

QUIET = frozenset({"files", "secret", "network", "kernel", "memory"})
"""Harm after which the same server goes on."""


def covering() -> list[str]:
    """Modules that do harm without layers: those that are soon over, and of the others one for each kind."""
    chosen = [name for name, one in HOSTILE.items() if one.harm and not one.own and set(one.harm) <= QUIET]
    seen = {kind for name in chosen for kind in HOSTILE[name].harm}
    for name, one in HOSTILE.items():
        if set(one.harm) - seen and not one.own:
            chosen.append(name)
            seen |= set(one.harm)
    return chosen


def representative() -> list[str]:
    """Modules for root: all that could do harm to somebody else."""
    return [name for name, one in HOSTILE.items() if one.harm and not one.own]


def brief() -> list[Hostile]:
    """Modules that end by themselves, for many traces."""
    return [one for one in HOSTILE.values() if one.brief]


@contextmanager
def world(user: int, off: Sequence[str], names: Sequence[str]) -> Iterator[Run]:
    """A run, ended when nobody reads on."""
    if why := namespaces.missing():
        pytest.skip(why)
    run = Run(user, off, names, trust=bool(off))
    try:
        yield run
    finally:
        run.close()


@pytest.fixture(scope="session", autouse=True)
def stranger(request: pytest.FixtureRequest) -> Iterator[Run | None]:
    """All modules, all layers, an unprivileged user; started first, since it takes longest."""
    items = [item for item in request.session.items if isinstance(item, pytest.Function)]
    wanted = [str(item.callspec.params["name"]) for item in items if "of_stranger" in item.fixturenames]
    if not wanted or namespaces.missing():
        yield None
        return
    with world(STRANGER, (), wanted) as run:
        yield run


@pytest.fixture
def of_stranger(stranger: Run | None) -> Run:
    """The run, where there is one."""
    if stranger is None:
        pytest.skip(namespaces.missing())
    return stranger


@pytest.fixture(scope="module")
def bare() -> Iterator[Run]:
    """Harmful modules, no layer, an unprivileged user."""
    with world(STRANGER, ALL, covering()) as run:
        yield run


@pytest.fixture(scope="module")
def root() -> Iterator[Run]:
    """Harmful modules, all layers, root."""
    with world(0, (), representative()) as run:
        yield run


@pytest.fixture(scope="module")
def many() -> Iterator[Run]:
    """A few dozen traces, one after the other."""
    with world(STRANGER, (), [one.name for one in brief()] * 2) as run:
        yield run
