"""One thread for torch in the test process: worker tests fork it, and forked from a running OpenMP pool they hang.
No test knows what the user's own sessions found, and none leaves anything there."""

import os
import shutil
import tempfile
from collections.abc import Iterator

import pytest

os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"
os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp(prefix="fx-lsp-tests-")


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--regen` for the files that are generated from Python."""
    parser.addoption("--regen", action="store_true", help="write generated files anew instead of comparing them")


@pytest.fixture(scope="session", autouse=True)
def caches() -> Iterator[None]:
    """Taken away in the end."""
    yield
    shutil.rmtree(os.environ["XDG_CACHE_HOME"], ignore_errors=True)
