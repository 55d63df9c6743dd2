"""What attackers start from: the API over a real store, and an embedded cloud."""

from tests.support.api_fixtures import door, live, policy, running, stage
from tests.support.cloud_fixtures import cloud, furnished

__all__ = ["cloud", "door", "furnished", "live", "policy", "running", "stage"]
