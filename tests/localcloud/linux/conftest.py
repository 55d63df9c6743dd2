"""Servers that really run."""

from tests.support.linux_fixtures import _possible, as_root, host_service, machine

__all__ = ["_possible", "as_root", "host_service", "machine"]
