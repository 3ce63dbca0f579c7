"""Files and network of a worker, from its start on: it reads what the policy names and writes nothing of the user's."""

from __future__ import annotations

from fx_lsp.model.sandbox import Policy
from fx_lsp.worker.sandbox import _landlock, _paths
from fx_lsp.worker.sandbox._layer import Layer

NAME = "landlock-base"


def apply(policy: Policy) -> None:
    """The processes it will fork have their own entries in /proc, so all of /proc stays readable here."""
    rules = _landlock.Ruleset(_landlock.version())
    for path in (*_paths.SYSTEM, "/proc", _paths.OURS):
        rules.allow(path, _landlock.READ, links=True)
    rules.allow_policy(policy)
    for path in policy.execute:
        rules.allow(path, _landlock.READ_FILE | _landlock.EXECUTE)
    for path in _paths.loaders(policy.execute):
        rules.allow(path, _landlock.READ_FILE | _landlock.EXECUTE, links=True)
    rules.restrict()


LAYER = Layer(
    name=NAME,
    stage="launcher",
    protects="The worker reads only the project, its packages and the system, starts no other program and has no TCP.",
    apply=apply,
    available=_landlock.available,
    detail=lambda policy: _landlock.lacking(_landlock.version()),
)
