"""The fixtures of the API, which tests elsewhere use, too."""

from tests.support.api_fixtures import door, live, policy, running, stage

__all__ = ["door", "live", "policy", "running", "stage"]
