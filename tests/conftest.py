"""One thread for torch in the test process: worker tests fork it, and forked from a running OpenMP pool they hang."""

import os

import pytest

os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--regen` for the files that are generated from Python."""
    parser.addoption("--regen", action="store_true", help="write generated files anew instead of comparing them")
