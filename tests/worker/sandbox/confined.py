"""Processes under some layers of the sandbox, in which a test does what they should refuse."""

from __future__ import annotations

import errno
import faulthandler
import json
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

import pytest

from fx_lsp.model.sandbox import Policy
from fx_lsp.worker.sandbox._layer import Layer

RESULT = 1
"""Where the result goes; the layers close what is above the standard streams."""

SECONDS = 120

needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="these layers are of Linux")
needs_root = pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root has this to lose")


def outcome(act: Callable[[], Any], *layers: Layer, policy: Policy | None = None) -> Any:
    """What `act` gives in a process of its own under these layers.

    It is a value that JSON can carry, the name of the error number of an OSError, the text of another error, or the
    name of the signal that ended the process.  A layer that this system lacks skips the test.
    """
    for layer in layers:
        if why := layer.available():
            pytest.skip(why)
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        _act(act, layers, policy or Policy(), writer)
    os.close(writer)
    with open(reader, "rb") as pipe:
        said = pipe.read()
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    assert said, f"no result, exit status {os.WEXITSTATUS(status)}"
    return json.loads(said)


def _act(act: Callable[[], Any], layers: tuple[Layer, ...], policy: Policy, writer: int) -> None:
    faulthandler.disable()
    signal.alarm(SECONDS)
    try:
        os.dup2(writer, RESULT)
        os.close(writer)
        for layer in layers:
            layer.apply(policy)
        try:
            result = act()
        except OSError as error:
            result = errno.errorcode.get(error.errno or 0, str(error))
        except BaseException as error:
            result = f"{type(error).__name__}: {error}"
        os.write(RESULT, json.dumps(result).encode())
    except BaseException as error:
        os.write(2, f"{type(error).__name__}: {error}\n".encode())
    finally:
        os._exit(1)


def call(number: int, *arguments: int) -> int:
    """A system call as it is, all six arguments given; raises OSError."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    result: int = libc.syscall(*(ctypes.c_long(word) for word in (number, *arguments, 0, 0, 0, 0, 0, 0)[:7]))
    if result < 0:
        raise OSError(ctypes.get_errno(), f"call {number}")
    return result
