"""The same examples in every run, and few enough to wait for; `HYPOTHESIS_PROFILE=long` looks for new ones."""

import os

from hypothesis import HealthCheck, settings

QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

settings.register_profile(
    "ci", max_examples=60, derandomize=True, database=None, deadline=None, suppress_health_check=QUIET
)
settings.register_profile("long", max_examples=3000, deadline=None, suppress_health_check=QUIET)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
