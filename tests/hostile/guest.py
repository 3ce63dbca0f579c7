"""The first process of the world: builds it, starts the server, lets the modules loose one after the other, judges.

    unshare … python -m tests.hostile.guest '{"user": 54321, "off": [], "modules": ["01_loop_import"]}'

Prints a JSON object a line: one for each module, then what is left when the server has been killed.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import threading
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.hostile import catalog, judge, processes, world
from tests.hostile.catalog import Hostile
from tests.hostile.client import Silence
from tests.hostile.judge import State
from tests.hostile.listeners import Listeners
from tests.hostile.namespaces import settle_in
from tests.hostile.session import Document, Session, install_configuration

SETTLE = 20.0
"""Seconds that processes have to come and go in; the machine may be busy."""

BYSTANDER = ("sleep", "1000000")


class Guest:
    """One configuration, one server; a fresh one whenever a module did harm that lasts."""

    def __init__(self, user: int, off: list[str], trust: bool = False) -> None:
        settle_in()
        world.build(user)
        install_configuration(off, user)
        os.chmod(world.HOST / "system", 0o700)
        self.ears = Listeners(world.HOST / "sockets")
        self.user, self.sizes = user, 2
        self.hostile = catalog.catalog()
        if trust:
            self.hostile = {name: replace(one, trusted=True) for name, one in self.hostile.items()}
        self.start()

    def start(self) -> None:
        """A server with a model of mine open, and one of the stranger's that is harmless; and a process beside it."""
        processes.kill_all()
        ids = {"user": self.user, "group": self.user, "extra_groups": []}
        self.bystander = subprocess.Popen(BYSTANDER, start_new_session=True, **ids).pid
        self.session = Session(self.user, (world.STRANGE, world.MINE), True)
        self.mine = self.session.open(world.MINE / "net.py", (world.MINE / "net.py").read_text())
        self.good = self.session.open(world.MODELS / "good.py", (world.MODELS / "good.py").read_text())
        for document in (self.mine, self.good):
            self.session.settle(document)
        self.hints_of_mine = self.session.hints(self.mine)
        assert self.hints_of_mine == self.expected(2), self.session.client.messages
        self.count = len(self.settled(self.session, 2).tree)

    def expected(self, size: int) -> list[str]:
        """The hints of a good model."""
        return [f"10: : f32[{size}, 8]", f"11: : f32[{size}, 4]", f"12: : f32[{size}, 4]"]

    def state(self, session: Session) -> State:
        """The processes now."""
        processes.reap({session.pid, self.session.pid})
        alive = processes.processes()
        tree = frozenset(process.pid for process in processes.below(session.pid, alive))
        workers = frozenset(pid for pid in tree if alive[pid].parent == session.pid)
        return State(alive, tree, workers, peak(session.pid))

    def settled(self, session: Session, fewest: int, most: int = 100, known: State | None = None) -> State:
        """The processes once children have come and gone: the same number twice, or time is over."""
        limit, former = time.monotonic() + SETTLE, -1
        while True:
            state = self.state(session)
            count = len(state.tree)
            strangers = known is not None and any(p not in known.processes and p not in state.tree for p in state.processes)
            if (fewest <= count <= most and count == former and not strangers) or time.monotonic() > limit:
                return state
            former = count
            time.sleep(0.1)

    def run(self, name: str) -> dict[str, Any]:
        """Let one module loose, and judge."""
        hostile = self.hostile[name]
        start = time.monotonic()
        harm: dict[str, list[str]] = defaultdict(list)
        row: dict[str, Any] = {"name": name, "harm": harm, "said": [], "got": [], "slowest": 0.0}
        trial = Trial(self, hostile)
        clean = world.look()
        trial.plant()
        before_files, before_kernel, heard = world.look(), processes.left_in_kernel(), len(self.ears.heard)
        session = self.session
        try:
            if hostile.own:
                session = Session(self.user, [trial.root], hostile.trusted, hostile.settings)
            before = self.settled(session, self.count if not hostile.own else 0)
            marks = len(session.client.raw), len(session.client.messages)
            try:
                trial.attack(session, row)
                after = self.settled(session, len(before.tree), self.count, before)
                for kind, detail in judge.touched(before, after, session.pid, self.bystander):
                    if not (hostile.own and kind == "processes" and "below" in detail):
                        harm[kind].append(detail)
                self.check_next(session, trial, row)
            except Silence as silence:
                harm["next"].append(str(silence))
                for kind, detail in judge.touched(before, self.state(session), session.pid, self.bystander):
                    harm[kind].append(detail)
            raw = b"".join(session.client.raw[marks[0] :])
            sent = [message for message in session.client.messages[marks[1] :] if message["method"] != "window/logMessage"]
            row["said"] = [message[:300] for message in trial.said]
            row["got"] = [line for line in raw.decode("utf-8", "replace").split("GOT ")[1:]]
            row["got"] = sorted({line.split(" ")[0] for line in row["got"]})
            harm["secret"] += judge.secrets(raw)
            harm["text"] += sorted(set(judge.misleading([trial.answers, [message.get("params") for message in sent]])))[:5]
            if len(raw) > judge.MOST_SENT:
                harm["flood"].append(f"{len(raw) >> 20} MiB sent")
            if trial.resident > judge.MOST_RESIDENT:
                harm["memory"].append(f"{trial.resident >> 20} MiB in one process")
            if row["slowest"] > judge.SLOWEST:
                harm["server"].append(f"blocked for {row['slowest']:.1f} s")
        finally:
            if session is not self.session:
                end(session)
                left = self.settled(self.session, self.count, self.count, before)
                harm["processes"] += [p.name for p in left.processes.values() if p.pid not in before.processes]
        trial.still.set()
        harm["files"] += [path for path in world.differences(before_files, world.look()) if path != str(trial.moving)]
        harm["network"] += self.ears.heard[heard:]
        left_in_kernel = processes.left_in_kernel()
        harm["kernel"] += [kind for kind in left_in_kernel if left_in_kernel[kind] > before_kernel[kind]]
        row["harm"] = {kind: details[:8] for kind, details in harm.items() if details}
        row["seconds"] = round(time.monotonic() - start, 2)
        self.clear(clean, before_kernel, row["harm"])
        return row

    def check_next(self, session: Session, trial: Trial, row: dict[str, Any]) -> None:
        """The next request is answered, and rightly; what is shown of others is as before."""
        harm, hostile = row["harm"], trial.hostile
        if not hostile.trusted:
            session.latency(trial.document)
            return
        self.sizes += 1
        good = trial.good or self.good
        session.replace(good, world.MODEL.format(name="Good", size=self.sizes))
        session.settle(good)
        if (hints := session.hints(good)) != self.expected(self.sizes) and hostile.runs:
            harm["next"].append(f"hints {hints} {session.diagnostics(good)}"[:400])
        if session is self.session and (hints := session.hints(self.mine)) != self.hints_of_mine:
            harm["others"].append(str(hints)[:200])

    def clear(self, clean: world.Snapshot, kernel: dict[str, int], harm: dict[str, Any]) -> None:
        """Everything as it was before."""
        if harm.keys() - {"secret", "files", "network", "kernel", "text", "flood", "memory", "others"}:
            end(self.session)
            processes.kill_all()
        if harm.get("kernel"):
            subprocess.run(["ipcrm", "--all"], check=True)
        world.restore(clean)
        if self.session.client.ended or not os.path.exists(f"/proc/{self.session.pid}"):
            self.start()

    def finish(self, counts: dict[str, int]) -> dict[str, Any]:
        """Kill the server, and see what is left; `counts` are those of the start."""
        before = world.look()
        counts = self.counts_like(counts)
        own = self.bystander
        processes.kill([self.session.pid])
        limit = time.monotonic() + SETTLE
        while (left := processes.processes().keys() - {own}) and time.monotonic() < limit:
            processes.reap()
            time.sleep(0.05)
        names = [process.name for pid, process in processes.processes().items() if pid in left]
        return {"name": "", "left": names, "files": world.differences(before, world.look()), "counts": counts}

    def counts_like(self, wanted: dict[str, int]) -> dict[str, int]:
        """What a leak would add to, once it is as wanted or time is over."""
        limit = time.monotonic() + SETTLE
        while (found := self.counts()) != wanted and time.monotonic() < limit:
            time.sleep(0.2)
        return found

    def counts(self) -> dict[str, int]:
        """What a leak would add to."""
        state = self.settled(self.session, self.count, self.count)
        found = {"processes": len(state.processes), "files": len(world.look()), "server": descriptors(self.session.pid)}
        return {**found, "workers": sum(map(descriptors, sorted(state.workers)))}


class Trial:
    """One module in its place."""

    def __init__(self, guest: Guest, hostile: Hostile) -> None:
        self.hostile = hostile
        self.user = guest.user
        self.mine = guest.mine
        self.root = world.HOST / "own" / hostile.name if hostile.own else world.STRANGE
        self.folder = self.root if hostile.own else world.MODELS
        self.path = self.folder / f"{hostile.name[3:]}.py"
        self.good: Document | None = None
        self.answers: list[Any] = []
        self.said: list[str] = []
        self.resident = 0
        self.still = threading.Event()
        self.moving = self.folder / hostile.moving if hostile.moving else None

    def plant(self) -> None:
        """Write its files."""
        if self.hostile.linked:
            self.root.parent.mkdir(exist_ok=True)
            self.root.symlink_to(world.HOST / self.hostile.linked)
        files: dict[str, Any] = {self.path.name: self.hostile.text, "kit.py": catalog.KIT.read_text("utf-8")}
        if self.hostile.own:
            files["good.py"] = world.MODEL.format(name="Good", size=2)
            files["pyproject.toml"] = world.FILES["strange/pyproject.toml"]
        for name, what in {**files, **self.hostile.plant}.items():
            catalog.put(self.folder / name, filled(what))
        for path in world.walk(self.folder):
            if not os.path.islink(path):
                os.chown(path, self.user, self.user)
        if self.moving is not None:
            threading.Thread(target=self.move, args=(self.moving, self.moving.read_bytes()), daemon=True).start()

    def move(self, path: Path, text: bytes) -> None:
        """Change the file all the time, in size and in content."""
        while not self.still.wait(0.0005):
            for content in (text, b"", text[: len(text) // 2], b"(" * 50, text * 2):
                path.write_bytes(content)

    def attack(self, session: Session, row: dict[str, Any]) -> None:
        """Open it, and wait until nothing is pending; meanwhile the server answers others."""
        start = len(session.client.messages)
        self.document = session.open(self.path, filled(self.hostile.text))
        if self.hostile.own and self.hostile.trusted:
            self.good = session.open(self.folder / "good.py", world.MODEL.format(name="Good", size=2))
        pinged = self.document if self.hostile.own else self.mine
        limit = time.monotonic() + 60
        while not session.is_idle(self.document, start):
            row["slowest"] = max(row["slowest"], round(session.latency(pinged), 2))
            alive = processes.processes()
            below = processes.below(session.pid, alive)
            self.resident = max([self.resident, *(process.resident for process in below)])
            if time.monotonic() > limit:
                raise Silence("no fx/idle within 60 s")
            time.sleep(0.05)
        self.answers = session.everything(self.document, self.hostile.graph)
        self.said = session.diagnostics(self.document)
        session.close(self.document)


def filled(what: Any) -> Any:
    """With the place of the canaries in it."""
    if isinstance(what, str):
        return what.replace("@HOST@", str(world.HOST))
    return tuple(map(filled, what)) if isinstance(what, (tuple, list)) else what


def peak(pid: int) -> int:
    """Most memory that a process ever had, in bytes; 0 when it is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM:"))


descriptors = processes.descriptors


def end(session: Session) -> None:
    """In the proper way where that is possible."""
    try:
        session.stop()
    except (Silence, subprocess.TimeoutExpired):
        session.client.process.kill()
    session.client.process.wait()


def main() -> None:
    """Run what the argument says; one line for each."""
    job = json.loads(sys.argv[1])
    guest = Guest(job["user"], job["off"], job.get("trust", False))
    counts = guest.counts()
    print(json.dumps({"name": "ready", "counts": counts}), flush=True)
    for name in job["modules"]:
        print(json.dumps(guest.run(name)), flush=True)
    print(json.dumps(guest.finish(counts)), flush=True)
    shutil.rmtree(world.HOST / "own", ignore_errors=True)
    os._exit(0)  # threads of the listeners wait for ever


if __name__ == "__main__":
    main()
