"""Layers of systems that this one is not: as much as can be said of them from here."""

from __future__ import annotations

import ctypes
import re
import sys
from pathlib import Path

import pytest

from fx_lsp.model.sandbox import Policy
from fx_lsp.worker.sandbox import job_object, seatbelt

POLICY = Policy(read=("/src/a project", '/src/"quoted"'), names=("/src",), execute=("/opt/python",), home="/home/w")


def test_the_profile_of_macos_denies_what_it_does_not_name() -> None:
    lines = seatbelt.profile(POLICY).splitlines()
    assert lines[:2] == ["(version 1)", "(deny default)"]
    assert '(allow file-read* (subpath "/src/a project"))' in lines
    assert '(allow file-read-data (literal "/src"))' in lines
    assert [line for line in lines if "write" in line] == ['(allow file-write-data (literal "/dev/null"))']
    assert not [line for line in lines if "network" in line or "mach-lookup" in line]


def test_the_profile_of_macos_is_balanced_whatever_paths_are_called() -> None:
    text = seatbelt.profile(POLICY)
    bare = re.sub(r'"(?:\\.|[^"\\])*"', '""', text)
    assert bare.count("(") == bare.count(")")
    assert bare.count('"') % 2 == 0
    assert '(subpath "/src/\\"quoted\\"")' in text


def test_only_what_is_named_is_executed_on_macos() -> None:
    lines = [line for line in seatbelt.profile(POLICY).splitlines() if "process-exec" in line]
    assert ["/opt/python" in line for line in lines] == [False, True]
    assert str(Path(sys.executable).resolve()) in lines[0]


@pytest.mark.skipif(ctypes.sizeof(ctypes.c_void_p) != 8, reason="sizes of 64 bits")
def test_the_structures_of_windows_have_their_sizes() -> None:
    """JOBOBJECT_BASIC_LIMIT_INFORMATION and JOBOBJECT_EXTENDED_LIMIT_INFORMATION."""
    assert ctypes.sizeof(job_object._Basic) == 64
    assert ctypes.sizeof(job_object._Extended) == 144


def test_a_job_of_windows_limits_memory_and_dies_with_its_owner() -> None:
    wanted = job_object.limits(Policy(memory=1 << 30))
    assert wanted.JobMemoryLimit > 1 << 30
    assert wanted.BasicLimitInformation.LimitFlags & 0x2000  # JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
    assert not wanted.BasicLimitInformation.LimitFlags & 0x1800  # BREAKAWAY_OK, SILENT_BREAKAWAY_OK


@pytest.mark.parametrize("layer", [seatbelt.LAYER, job_object.LAYER], ids=lambda layer: layer.name)
def test_they_say_that_they_are_untested(layer: seatbelt.Layer) -> None:
    assert "untested" in layer.detail(Policy())
    if sys.platform != layer.platform:
        assert layer.report(Policy()).status == "missing"
