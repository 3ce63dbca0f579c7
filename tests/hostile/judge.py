"""What counts as harm.  Each kind is judged by what is seen from outside; what a module says of itself counts nothing.

`files` something on the disk came, went or changed · `secret` the server sent a canary · `network` a listener was
reached · `processes` something runs on · `bystander` a process that is not ours was killed, stopped or tampered with ·
`server` it is gone, stopped, tampered with, blocked or swollen · `worker` it was ended · `kernel` objects outlive their
processes · `memory` more was taken than the limit · `text` characters or Markdown that mislead reach the editor ·
`flood` the editor is sent too much · `others` what is shown of another workspace changed · `next` the next model is not
answered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from markdown_it import MarkdownIt

from tests.hostile.processes import Process
from tests.hostile.trial import Trial
from tests.hostile.world import CANARY

SLOWEST = 8.0
"""Seconds that a request which needs no work may take while a module runs; the machine may be busy."""

MOST_SENT = 16 << 20
SERVER_GROWTH = 512 << 20
MOST_RESIDENT = 640 << 20
"""Bytes: of messages for one module; of the server's memory; of a process that may write 128 MiB and map as much
again, beside the zygote's."""

MISLEADING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
"""Control characters, those of bidirectional text, and those without width; not tab and line feed."""

_MARKDOWN = MarkdownIt("commonmark", {"html": True})


@dataclass(frozen=True)
class State:
    """A moment of the world, as far as processes go."""

    processes: dict[int, Process]
    tree: frozenset[int]
    """Below the server."""
    ours: frozenset[int]
    """All servers and what is below them."""
    workers: frozenset[int]
    """Children of the server."""
    grown: int = 0
    """Most memory that the server ever had."""

    def is_new(self, pid: int, since: State) -> bool:
        """Whether a process is neither of a server nor from before."""
        return pid not in self.ours and pid not in since.processes


def secrets(raw: bytes) -> list[str]:
    """Which canaries are in it."""
    return sorted({match.decode() for match in re.findall(re.escape(CANARY.encode()) + rb"[a-z-]+", raw)})


def touched(before: State, after: State, server: int, bystander: int, counted: bool) -> Iterator[tuple[str, str]]:
    """Harm to processes; `counted`: as many as before should be there."""
    for name, pid in (("server", server), ("bystander", bystander)):
        process = after.processes.get(pid)
        if process is None:
            yield name, "killed"
        elif process.state == "T":
            yield name, "stopped"
    for pid, process in after.processes.items():
        former = before.processes.get(pid)
        kind = {server: "server", bystander: "bystander"}.get(pid, "worker")
        if former is not None and (
            process.lasting != former.lasting or (kind != "worker" and process.settings != former.settings)
        ):
            yield kind, f"{process.name} tampered with"
        if after.is_new(pid, before):
            yield "processes", f"{process.name} runs on"
    extra = len(after.tree) - len(before.tree)
    if extra > 0 and counted:
        yield "processes", f"{extra} more below the server"
    if gone := before.workers - after.workers:
        yield "worker", f"{len(gone)} of {len(before.workers)} ended"
    if after.grown - before.grown > SERVER_GROWTH:
        yield "server", f"grew by {after.grown - before.grown >> 20} MiB"


def told(raw: Sequence[bytes], messages: Sequence[Any], trial: Trial) -> Iterator[tuple[str, str]]:
    """Harm in what the server said, and in what it took to say it."""
    said = b"".join(raw)
    yield from (("secret", secret) for secret in secrets(said))
    if len(said) > MOST_SENT:
        yield "flood", f"{len(said) >> 20} MiB sent"
    if trial.resident > MOST_RESIDENT:
        yield "memory", f"{trial.resident >> 20} MiB in one process"
    if trial.slowest > SLOWEST:
        yield "server", f"blocked for {trial.slowest:.1f} s"
    shown = [message.get("params") for message in messages if message["method"] != "window/logMessage"]
    yield from (("text", text) for text in sorted(set(misleading([trial.answers, shown])))[:5])


def misleading(answers: Any) -> Iterator[str]:
    """What should not be in answers and diagnostics."""
    for path, text in texts(answers):
        if "edit" in path or "newText" in path or "data" in path:
            continue  # the user's own text
        if found := MISLEADING.search(text):
            yield f"U+{ord(found[0]):04X} in {'.'.join(path)}"
        if path and path[-1] == "value":
            yield from live(text)


def live(markdown: str) -> Iterator[str]:
    """Links, images and HTML in Markdown."""
    queue = _MARKDOWN.parse(markdown)
    while queue:
        token = queue.pop()
        queue += token.children or []
        if token.type in ("image", "link_open"):
            yield f"{token.type} to {token.attrGet('src') or token.attrGet('href')}"
        elif token.type in ("html_block", "html_inline"):
            yield f"HTML: {token.content[:60]}"


def texts(item: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """All strings in a JSON value, and where they are."""
    if isinstance(item, str):
        yield path, item
    elif isinstance(item, dict):
        for key, value in item.items():
            yield from texts(value, (*path, str(key)))
    elif isinstance(item, list):
        for value in item:
            yield from texts(value, path)
