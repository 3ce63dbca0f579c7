"""Every system call of the kernel has been decided upon, with the right number."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fx_lsp.worker.sandbox import _calls
from fx_lsp.worker.sandbox._syscalls import NEWEST, NUMBERS
from tests.worker.sandbox.kernel import AARCH64, COLUMNS, HARMLESS, X86_64

REFUSED = {*_calls.names(_calls.CHILD), *_calls.names(_calls.CHANGES), *_calls.names(_calls.ATTRIBUTES)}
BY_ARGUMENT = {"ioctl", "fcntl", "prctl", "kill", "tgkill", "prlimit64", "sched_setaffinity", "open", "openat"}
AS_IF_UNKNOWN = {"clone3", "openat2"}

HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/aarch64-linux-gnu/asm/unistd_64.h"),
}


def test_every_call_is_decided_once() -> None:
    groups = (REFUSED, BY_ARGUMENT, AS_IF_UNKNOWN, HARMLESS)
    decided = [name for group in groups for name in group]
    assert sorted(decided) == sorted({*X86_64, *AARCH64})


@pytest.mark.parametrize(("column", "machine"), list(enumerate(COLUMNS)), ids=list(COLUMNS))
def test_the_numbers_are_those_of_the_kernel(column: int, machine: str) -> None:
    named = {name: numbers[column] for name, numbers in NUMBERS.items()}
    assert named == {name: COLUMNS[machine].get(name) for name in NUMBERS}


@pytest.mark.parametrize("machine", COLUMNS)
def test_no_call_is_newer_than_what_was_looked_at(machine: str) -> None:
    numbers = COLUMNS[machine].values()
    assert max(numbers) == NEWEST
    assert len(set(numbers)) == len(numbers)


def test_what_came_since_2019_has_one_number_on_all_machines() -> None:
    shared = [name for name in X86_64 if X86_64[name] >= 424]
    assert {name: AARCH64[name] for name in shared} == {name: X86_64[name] for name in shared}


@pytest.mark.parametrize("machine", COLUMNS)
def test_the_headers_of_this_system_agree(machine: str) -> None:
    if not HEADERS[machine].exists():
        pytest.skip(f"no {HEADERS[machine]}")
    found = re.findall(r"#define __NR_(\w+) (\d+)\n", HEADERS[machine].read_text("utf-8"))
    newer = {name for name, number in found if int(number) > NEWEST}
    known = COLUMNS[machine]
    assert {name: int(number) for name, number in found if name not in newer} == {
        name: known.get(name) for name, _ in found if name not in newer
    }


def test_no_name_is_in_two_groups() -> None:
    listed = _calls.names({**_calls.CHILD, **_calls.CHANGES, **_calls.ATTRIBUTES})
    assert len(set(listed)) == len(listed)


def test_a_child_may_do_nothing_that_its_zygote_may_not() -> None:
    assert set(_calls.names(_calls.BASE)) < set(_calls.names(_calls.CHILD))
