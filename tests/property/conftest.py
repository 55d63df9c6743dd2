"""How long hypothesis searches: `quick` and `ci` try the same every time; CALOR_HYPOTHESIS=thorough looks further."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# Generating whole templates is slow by hypothesis's standards; that is no defect of the tests.
QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]

settings.register_profile(
    "ci", max_examples=60, deadline=None, derandomize=True, database=None, suppress_health_check=QUIET
)
settings.register_profile("quick", settings.get_profile("ci"), max_examples=20)
settings.register_profile("thorough", max_examples=3000, deadline=None, suppress_health_check=QUIET)
usual = "ci" if os.environ.get("CALOR_TEST_EVERYTHING") else "quick"
settings.load_profile(os.environ.get("CALOR_HYPOTHESIS", usual))
