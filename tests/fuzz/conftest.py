"""The same examples in every run, and few enough to wait for; `HYPOTHESIS_PROFILE=long` looks for new ones."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, Phase, settings

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


@pytest.fixture(scope="session", autouse=True)
def _nobody(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A user without any configuration of their own."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
            patch.setenv(name, str(tmp_path_factory.mktemp("home")))
        yield
