"""The fixtures of the API, which tests elsewhere use, too."""

from stages import door, live, policy, running, stage

__all__ = ["door", "live", "policy", "running", "stage"]
