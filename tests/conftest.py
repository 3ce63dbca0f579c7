"""One thread for torch in the test process: worker tests fork it, and forked from a running OpenMP pool they hang.
No test knows what the user's own sessions found or what is configured for them, and none leaves anything there.

Properties are tested on the same examples in every run, and few enough to wait for; `HYPOTHESIS_PROFILE=long` looks for
new ones."""

import os
import shutil
import tempfile
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, Phase, settings

USER = tempfile.mkdtemp(prefix="fx-lsp-tests-")

os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"
os.environ["XDG_CACHE_HOME"] = os.path.join(USER, "cache")
os.environ["XDG_CONFIG_HOME"] = os.path.join(USER, "config")

# How long an example takes says more about what else the machine does than about the example.
QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

settings.register_profile(
    "ci",
    max_examples=40,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=QUIET,
)
settings.register_profile("long", max_examples=3000, deadline=None, suppress_health_check=QUIET)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--regen` for the files that are generated from Python."""
    parser.addoption("--regen", action="store_true", help="write generated files anew instead of comparing them")


@pytest.fixture(scope="session", autouse=True)
def user() -> Iterator[None]:
    """Taken away in the end."""
    yield
    shutil.rmtree(USER, ignore_errors=True)
