"""The filters, run by a small interpreter: on the architecture that is not here as well."""

from __future__ import annotations

import struct

import pytest

from fx_lsp.worker.sandbox import _calls, _prctl, _seccomp
from fx_lsp.worker.sandbox._bpf import LONGEST, Filter
from fx_lsp.worker.sandbox._syscalls import NEWEST
from tests.worker.sandbox.kernel import COLUMNS, HARMLESS
from tests.worker.sandbox.machine import ALLOWED, AUDIT, KILLED, verdict

PID = 4321
MACHINES = list(COLUMNS)
LANDLOCK = 7


class Told:
    """A filter of one architecture, asked by the names of calls."""

    def __init__(self, machine: str, program: bytes) -> None:
        self._machine, self._program = machine, program

    def __call__(self, name: str, *arguments: int) -> str:
        number = COLUMNS[self._machine].get(name)
        if number is None:
            pytest.skip(f"{self._machine} has no {name}")
        return verdict(self._program, self._machine, number, *arguments)


@pytest.fixture(params=MACHINES)
def machine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def base(machine: str) -> Told:
    return Told(machine, _seccomp.base_filter(machine, PID))


@pytest.fixture
def child(machine: str) -> Told:
    return Told(machine, _seccomp.child_filter(machine, PID, LANDLOCK))


def test_a_zygote_is_refused_what_is_named_and_nothing_else(machine: str) -> None:
    program = _seccomp.base_filter(machine, PID)
    refused = {name for name, number in COLUMNS[machine].items() if verdict(program, machine, number) != ALLOWED}
    by_argument = {"clone3", "ioctl"}
    assert refused == ({*_calls.names(_calls.BASE)} & COLUMNS[machine].keys()) | by_argument


def test_a_child_may_do_only_what_is_harmless(machine: str) -> None:
    program = _seccomp.child_filter(machine, PID, LANDLOCK)
    allowed = {name for name, number in COLUMNS[machine].items() if verdict(program, machine, number) == ALLOWED}
    named = {"fcntl", "prlimit64", "sched_setaffinity", "open", "openat", "openat2", *_calls.names(_calls.CHANGES)}
    assert allowed == (HARMLESS | named) & COLUMNS[machine].keys()


@pytest.mark.parametrize("number", [NEWEST + 1, 512, 547, 0x40000000 | 41, 0x7FFFFFFF, -1])
def test_what_is_newer_or_of_x32_is_unknown(machine: str, number: int) -> None:
    for program in (_seccomp.base_filter(machine, PID), _seccomp.child_filter(machine, PID, LANDLOCK)):
        assert verdict(program, machine, number) == "ENOSYS"


@pytest.mark.parametrize("other", AUDIT)
def test_calls_by_another_architecture_end_the_process(machine: str, other: str) -> None:
    for program in (_seccomp.base_filter(machine, PID), _seccomp.child_filter(machine, PID, LANDLOCK)):
        assert (verdict(program, other, 20) == KILLED) == (other != machine)


@pytest.mark.parametrize("landlock", range(8))
def test_the_kernel_takes_filters_of_that_length(machine: str, landlock: int) -> None:
    for program in (_seccomp.base_filter(machine, PID), _seccomp.child_filter(machine, PID, landlock)):
        instructions = list(struct.iter_unpack("=HBBI", program))
        assert len(instructions) <= LONGEST
        for place, (code, if_true, if_false, _) in enumerate(instructions):
            if code in (0x15, 0x35, 0x45):
                assert place + 1 + max(if_true, if_false) < len(instructions)


def test_a_zygote_forks_and_starts_programs_but_makes_no_name_space(base: Told) -> None:
    assert base("clone", 0x01200011) == ALLOWED  # what fork() asks for
    assert base("clone", 0x3D0F00) == ALLOWED  # what pthread_create() asks for
    assert base("execve") == ALLOWED
    assert base("clone3") == "ENOSYS"
    for flag in (0x80, 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert base("clone", flag | 17) == "EPERM"


def test_a_child_starts_neither_process_nor_thread(child: Told) -> None:
    assert child("clone", 0x01200011) == "EPERM"
    assert child("clone", 0x3D0F00) == "EPERM"
    assert child("clone3") == "ENOSYS"
    assert child("execve") == "EPERM"


def test_signals_stay_within_a_child(child: Told) -> None:
    for call in ("kill", "tgkill"):
        assert child(call, PID, 9) == ALLOWED
        assert child(call, PID | 1 << 32, 9) == ALLOWED  # the kernel does not see the upper half either
        for other in (0, -1, -PID, 1, PID + 1):
            assert child(call, other, 9) == "EPERM"


def test_a_zygote_does_not_kill_everything(base: Told) -> None:
    assert base("kill", PID, 9) == ALLOWED
    assert base("kill", -PID, 9) == ALLOWED
    assert base("kill", -1, 9) == "EPERM"


@pytest.mark.parametrize("call", ["prlimit64", "sched_setaffinity"])
def test_limits_are_set_for_oneself_only(base: Told, child: Told, call: str) -> None:
    for told in (base, child):
        assert told(call, 0) == told(call, PID) == ALLOWED
        assert told(call, 1) == "EPERM"


@pytest.mark.parametrize("request_", [0x5401, 0x5413, 0x541B])
def test_a_terminal_can_be_asked(base: Told, child: Told, request_: int) -> None:
    assert base("ioctl", 0, request_) == child("ioctl", 0, request_) == ALLOWED


@pytest.mark.parametrize(
    "request_", [0x5412, 0x541C, 0x8901, 0x8902, 0x40086602, 0x401C5820, 0x40806685, 0x50009401, 0x5000940E]
)
def test_typing_into_a_terminal_and_changing_a_file_are_unknown(base: Told, child: Told, request_: int) -> None:
    """TIOCSTI, TIOCLINUX, FIOSETOWN, SIOCSPGRP, FS_IOC_SETFLAGS, FSSETXATTR, ENABLE_VERITY, btrfs snapshots."""
    assert base("ioctl", 0, request_) == child("ioctl", 0, request_) == "ENOTTY"
    assert child("ioctl", 0, request_ | 1 << 32) == "ENOTTY"


@pytest.mark.parametrize("command", [8, 10, 15, 1024, 1026, 1031])
def test_descriptors_send_no_signals_and_break_no_peace(base: Told, child: Told, command: int) -> None:
    """F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETLEASE, F_NOTIFY, F_SETPIPE_SZ."""
    assert base("fcntl", 0, command) == child("fcntl", 0, command) == "EPERM"


def test_only_a_zygote_takes_locks(base: Told, child: Told) -> None:
    for command in _calls.LOCKS:
        assert base("fcntl", 0, command) == ALLOWED
        assert child("fcntl", 0, command) == "EPERM"
    assert child("flock") == "EPERM"


def test_a_child_stays_tied_to_its_parent(base: Told, child: Told) -> None:
    for option in (_prctl.SET_PDEATHSIG, _prctl.SET_DUMPABLE, _prctl.SET_CHILD_SUBREAPER, _prctl.SET_SECCOMP):
        assert base("prctl", option) == ALLOWED
        assert child("prctl", option) == "EPERM"
    assert child("prctl", _prctl.SET_NAME) == ALLOWED
    for told in (base, child):
        assert told("prctl", _prctl.SET_MM) == told("prctl", _prctl.SET_PTRACER) == "EPERM"


def test_attributes_of_files_do_not_exist_for_a_child(child: Told) -> None:
    for name in _calls.names(_calls.ATTRIBUTES):
        assert child(name) == "ENOTSUP"


READ, WRITE, BOTH, ODD = 0, 1, 2, 3
CREATE, TRUNCATE = 0x40, 0x200


@pytest.mark.parametrize(
    ("machine", "call", "place"), [("x86_64", "open", 1), ("x86_64", "openat", 2), ("aarch64", "openat", 2)]
)
@pytest.mark.parametrize("landlock", range(8))
def test_how_a_file_may_be_opened_depends_on_landlock(machine: str, call: str, place: int, landlock: int) -> None:
    """`ODD` asks for neither reading nor writing, so Landlock has nothing to check, and truncates all the same."""
    told = Told(machine, _seccomp.child_filter(machine, PID, landlock))
    flags = [read | other for read in (READ, WRITE, BOTH, ODD) for other in (0, CREATE, TRUNCATE, CREATE | TRUNCATE)]
    refused = {flag for flag in flags if told(call, *[0] * place, flag) != ALLOWED}
    if landlock == 0:
        assert refused == {*flags} - {READ}
    elif landlock < 3:
        assert refused == {flag for flag in flags if flag & TRUNCATE and flag & 3 in (READ, ODD)}
    else:
        assert not refused


@pytest.mark.parametrize("landlock", range(8))
def test_paths_are_changed_only_where_landlock_looks_on(machine: str, landlock: int) -> None:
    told = Told(machine, _seccomp.child_filter(machine, PID, landlock))
    known = COLUMNS[machine].keys()
    assert told("truncate") == ("EPERM" if landlock < 3 else ALLOWED)
    assert told("openat2") == ("ENOSYS" if landlock < 3 else ALLOWED)
    for name in {*_calls.names(_calls.CHANGES)} & known - {"truncate"}:
        assert told(name) == ("EPERM" if landlock == 0 else ALLOWED)


def test_a_filter_that_is_too_long_is_not_made() -> None:
    endless = Filter(AUDIT["x86_64"], NEWEST + 1, 38)
    for _ in range(LONGEST):
        endless.refuse(1, 1)
    with pytest.raises(ValueError, match="instructions"):
        endless.assemble()
