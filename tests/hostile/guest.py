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
from collections import defaultdict
from dataclasses import replace
from typing import Any

from tests.hostile import catalog, judge, processes, world
from tests.hostile.client import Silence
from tests.hostile.judge import State
from tests.hostile.listeners import Listeners
from tests.hostile.namespaces import settle_in
from tests.hostile.session import Session, install_configuration
from tests.hostile.trial import Trial

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
        self.dressed = set[tuple[object, ...]]()
        """What the settings of workers and of children that wait are once they have made them their own; empty until
        that is known."""
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
        assert self.hints_of_mine == self.expected(2), (self.session.diagnostics(self.mine), self.session.client.end())
        self.dressed = set()
        state = self.settled(self.session, 2, pause=1.0)
        self.dressed = {state.processes[pid].dress for pid in state.tree}
        self.count = len(state.tree)

    def expected(self, size: int) -> list[str]:
        """The hints of a good model."""
        return [f"10: : f32[{size}, 8]", f"11: : f32[{size}, 4]", f"12: : f32[{size}, 4]"]

    def state(self, session: Session) -> State:
        """The processes now."""
        processes.reap({session.pid, self.session.pid})
        alive = processes.processes()
        below = processes.below(session.pid, alive)
        resting = [process.pid for process in below if process.state == "T"][:1]  # with a file that it has imported
        tree = frozenset(process.pid for process in below).difference(resting)
        ours = tree | {session.pid, *resting} | {process.pid for process in processes.below(self.session.pid, alive)}
        workers = frozenset(pid for pid in tree if alive[pid].parent == session.pid)
        return State(alive, tree, ours, workers, processes.peak(session.pid))

    def settled(
        self, session: Session, fewest: int, most: int = 100, known: State | None = None, pause: float = 0.1
    ) -> State:
        """The processes once children have come and gone and workers are up, or time is over.

        A child may still be on its way to its limits, or work at a lower precedence for a study: then it is not as it
        was, and nobody tampered with it.
        """
        limit, former = time.monotonic() + SETTLE, None
        while True:
            state = self.state(session)
            look = {pid: state.processes[pid].settings for pid in state.tree}
            calm = known is None or not any(state.is_new(pid, known) for pid in state.processes)
            calm = calm and (not self.dressed or all(state.processes[pid].dress in self.dressed for pid in state.tree))
            if (fewest <= len(look) <= most and look == former and calm) or time.monotonic() > limit:
                return state
            former = look
            time.sleep(pause)

    def run(self, name: str) -> dict[str, Any]:
        """Let one module loose, and judge."""
        hostile, start = self.hostile[name], time.monotonic()
        harm: dict[str, list[str]] = defaultdict(list)
        trial = Trial(hostile, self.user, self.mine)
        clean = world.look()
        trial.plant()
        files, kernel, heard = world.look(), processes.left_in_kernel(), len(self.ears.heard)
        if hostile.own:
            alone = self.settled(self.session, self.count)
            session = Session(self.user, [trial.root], hostile.trusted, hostile.settings)
            self.observe(session, trial, harm)
            end(session)
            left = self.settled(self.session, self.count, self.count, alone)
            harm["processes"] += [one.name for pid, one in left.processes.items() if left.is_new(pid, alone)]
        else:
            session = self.session
            self.observe(session, trial, harm)
        trial.hold_still()
        harm["files"] += [path for path in world.differences(files, world.look()) if path != str(trial.moving)]
        harm["network"] += self.ears.heard[heard:]
        harm["kernel"] += [kind for kind, count in processes.left_in_kernel().items() if count > kernel[kind]]
        found = {kind: details[:8] for kind, details in harm.items() if details}
        self.clear(clean, found)
        return {
            "name": name,
            "harm": found,
            "said": [message[:300] for message in trial.said],
            "got": sorted(trial.got),
            "slowest": round(trial.slowest, 2),
            "seconds": round(time.monotonic() - start, 2),
        }

    def observe(self, session: Session, trial: Trial, harm: dict[str, list[str]]) -> None:
        """Let it run in the session, then the next model; add the harm that is seen there."""
        before = self.settled(session, 0 if trial.hostile.own else self.count)
        raw, messages = len(session.client.raw), len(session.client.messages)
        try:
            trial.attack(session)
            # A session of its own has no worker before.
            after = self.settled(session, len(before.tree), 100 if trial.hostile.own else self.count, before)
            self.check_next(session, trial, harm)
        except Silence as silence:
            harm["next"].append(str(silence)[:400])
            limit = time.monotonic() + SETTLE
            while session.client.ended and session.pid in processes.processes() and time.monotonic() < limit:
                time.sleep(0.05)  # a process closes its pipes before it is gone
            after = self.state(session)
        for kind, detail in judge.touched(before, after, session.pid, self.bystander, not trial.hostile.own):
            harm[kind].append(detail)
        for kind, detail in judge.told(session.client.raw[raw:], session.client.messages[messages:], trial):
            harm[kind].append(detail)

    def check_next(self, session: Session, trial: Trial, harm: dict[str, list[str]]) -> None:
        """The next request is answered, and rightly; what is shown of others is as before."""
        if not trial.hostile.trusted:
            session.latency(trial.document)
            return
        self.sizes += 1
        good = trial.good or self.good
        session.replace(good, world.MODEL.format(name="Good", size=self.sizes))
        session.settle(good)
        # What it costs may be known by now, and need not.
        hints = [hint for hint in session.hints(good) if "FLOPs" not in hint]
        if hints != self.expected(self.sizes) and trial.hostile.runs:
            harm["next"].append(f"hints {hints} {session.diagnostics(good)}"[:400])
        if session is self.session and (hints := session.hints(self.mine)) != self.hints_of_mine:
            harm["others"].append(str(hints)[:200])

    def clear(self, clean: world.Snapshot, harm: dict[str, list[str]]) -> None:
        """Everything as it was before."""
        if harm.keys() - {"secret", "files", "network", "kernel", "text", "flood", "memory", "others"}:
            end(self.session)
            processes.kill_all()
        if "kernel" in harm:
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
        """What a leak would add to; one that rests with a file is let go."""
        below = processes.below(self.session.pid, processes.processes())
        processes.kill([one.pid for one in below if one.state == "T"])
        state = self.settled(self.session, self.count, self.count)
        found = {
            "processes": len(state.processes),
            "files": len(world.look()),
            "server": processes.descriptors(self.session.pid),
        }
        return {**found, "workers": sum(map(processes.descriptors, state.workers))}


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
