"""What attackers start from: the API over a real store, and an embedded cloud."""

from furnished import cloud, furnished
from stages import door, live, policy, running, stage

__all__ = ["cloud", "door", "furnished", "live", "policy", "running", "stage"]
