"""Started by file path in the user's interpreter, by the launcher, which has restricted itself already:

    python fx_lsp/worker/main.py --policy JSON --applied JSON [--once | --spawn]

It checks torch, warms up and then serves traces: by fork; or, where a fork is not possible or not safe, or with
`--spawn`, by a fresh `--once` process for each.  Its standard output carries the protocol and nothing else.

Nothing of ours goes on the user's `sys.path`, and nothing in here may need a newer Python before it has been checked:
whatever goes wrong ends in one `start_failed` message.
"""

import gc
import importlib
import json
import os
import platform
import re
import struct
import sys
import tempfile
import traceback
import types
from functools import partial
from typing import Callable

OLDEST_PYTHON = (3, 9)
OLDEST_TORCH = (2, 4)


class Refused(Exception):
    """This interpreter cannot work; the text is one sentence for the user, with what to do."""


def claim_channel() -> "tuple[int, int]":
    """The pipes of the protocol become ours: user code reads nothing, and what it prints goes to stderr."""
    requests, replies = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    return requests, replies


def install_package() -> None:
    """Make `fx_lsp.model` and `fx_lsp.worker` importable, and nothing else of ours."""
    here = os.path.dirname(os.path.abspath(__file__))
    if sys.path and os.path.abspath(sys.path[0] or os.curdir) == here:
        del sys.path[0]  # the folder of the script, put there by Python
    package = types.ModuleType("fx_lsp")
    package.__path__ = [os.path.dirname(here)]
    sys.modules["fx_lsp"] = package


def check_python() -> None:
    """Raise `Refused` if this Python is too old for us."""
    if sys.version_info < OLDEST_PYTHON:
        found, oldest = ".".join(map(str, sys.version_info[:3])), ".".join(map(str, OLDEST_PYTHON))
        raise Refused(
            f"{sys.executable} is Python {found}, and {oldest} or newer is needed: "
            "choose another interpreter with the setting `fx-lsp.interpreter`."
        )


def import_torch() -> types.ModuleType:
    """The user's torch; raise `Refused` if there is none that works and is new enough."""
    other = "or choose another interpreter with the setting `fx-lsp.interpreter`"
    install = f"{sys.executable} -m pip install"
    try:
        torch = importlib.import_module("torch")
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise _broken(error, other) from error
        raise Refused(f"There is no torch in {sys.executable}: run `{install} torch`, {other}.") from None
    except BaseException as error:  # a broken installation may raise anything, SystemExit included
        raise _broken(error, other) from error
    version = str(getattr(torch, "__version__", ""))
    found = re.match(r"(\d+)\.(\d+)", version)
    if found is None:
        raise Refused(f"What {sys.executable} imports as torch is not torch: run `{install} torch`, {other}.")
    if tuple(map(int, found.groups())) < OLDEST_TORCH:
        oldest = ".".join(map(str, OLDEST_TORCH))
        raise Refused(
            f"{sys.executable} has torch {version}, and {oldest} or newer is needed: "
            f"run `{install} --upgrade torch`, {other}."
        )
    return torch


def _broken(error: BaseException, other: str) -> Refused:
    return Refused(f"torch cannot be imported in {sys.executable} ({_first_line(error)}): reinstall it, {other}.")


def _first_line(error: BaseException) -> str:
    return "{}: {}".format(type(error).__name__, (str(error).strip() or "no message").split("\n")[0])


def option(arguments: "list[str]", name: str) -> str:
    """What follows `name`; raise `Refused` if nothing does."""
    if name not in arguments[:-1]:
        raise Refused(f"The worker was started without {name}: reinstall fx-lsp.")
    return arguments[arguments.index(name) + 1]


def prepare(arguments: "list[str]", requests: int, replies: int) -> Callable[[], None]:
    """Check and import; what is returned says hello and works until the server is gone.

    Raises:
        Refused: this interpreter cannot work.
    """
    check_python()
    install_package()
    from fx_lsp.model import wire
    from fx_lsp.worker import processes, sandbox

    given, applied = option(arguments, "--policy"), option(arguments, "--applied")
    policy = wire.decode(given.encode())
    once = "--once" in arguments
    if not once and ("--spawn" in arguments or not hasattr(os, "fork")):
        return _spawner(requests, replies, given, applied)
    tempfile.tempdir = policy.home  # nothing may be written, so folders could not be tried out
    os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", policy.home)
    from fx_lsp.worker.homes import pretend

    pretend(policy.home)  # torch 2.13 for CUDA makes a temporary file when it is imported, TorchDynamo a folder
    torch = import_torch()
    torch.set_num_threads(1)
    from fx_lsp.model.messages import PROTOCOL, Hello
    from fx_lsp.worker.answer import Task
    from fx_lsp.worker.deferred import PACKAGE, defer
    from fx_lsp.worker.graph_rewrites import offered as rules
    from fx_lsp.worker.imported import IMPORTED
    from fx_lsp.worker.levels import offered
    from fx_lsp.worker.run import run
    from fx_lsp.worker.standing import Standing
    from fx_lsp.worker.touch import rehearse, touch
    from fx_lsp.worker.warm import warm_up

    defer()
    warm_up()
    threads = processes.threads()
    if threads > 1 and not once:
        print(f"fx-lsp: {threads} threads after the warm-up, so no fork: each trace starts anew", file=sys.stderr)
        return _spawner(requests, replies, given, applied)
    reports = wire.decode(b'{"kind":"ready","layers":%b}' % applied.encode()).layers + sandbox.apply("zygote", policy)
    version = str(torch.__version__)
    hello = Hello(PROTOCOL, platform.python_version(), version, os.getpid(), offered(), reports, rules())
    task = Task(run, policy, touch, Standing)
    if once:
        from fx_lsp.worker.once import serve_once

        return lambda: serve_once(requests, replies, hello, task)
    from fx_lsp.worker.zygote import Zygote

    gc.freeze()  # so that nobody looks for garbage among what was imported
    chores = [partial(IMPORTED.want, PACKAGE), partial(rehearse, "fake"), partial(rehearse, "real")]
    zygote = Zygote(requests, replies, task, chores)
    return lambda: zygote.serve(hello)


def _spawner(requests: int, replies: int, policy: str, applied: str) -> Callable[[], None]:
    from fx_lsp.worker.spawner import Spawner

    script = os.path.abspath(__file__)
    return Spawner(
        requests, replies, [sys.executable, script, "--once", "--policy", policy, "--applied", applied]
    ).serve


def refuse(replies: int, message: str) -> None:
    """Send a `start_failed` frame; written by hand, since our own modules may be what cannot be imported."""
    messages = sys.modules.get("fx_lsp.model.messages")
    protocol = getattr(messages, "PROTOCOL", 0)
    body = json.dumps({"kind": "start_failed", "protocol": protocol, "message": message}).encode("ascii")
    os.write(replies, b"\0fx-lsp\0" + struct.pack("!I", len(body)) + body)


def main() -> int:
    """Exit status: 0 when the server closed the pipe, 1 when this interpreter cannot work."""
    gc.disable()  # nothing of what is imported is garbage
    requests, replies = claim_channel()
    try:
        work = prepare(sys.argv[1:], requests, replies)
    except Refused as refused:
        refuse(replies, str(refused))
        return 1
    except BaseException as error:  # nobody would read a bare traceback
        traceback.print_exc()
        refuse(replies, f"The worker could not start in {sys.executable}: {_first_line(error)}")
        return 1
    work()
    return 0


if __name__ == "__main__":
    sys.exit(main())
