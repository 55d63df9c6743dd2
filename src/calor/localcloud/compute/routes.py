"""Routes of the compute service: for a range of microversions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from calor.localcloud.compute.microversions import FIRST, LAST, Version
from calor.localcloud.compute.service import ComputeService
from calor.localcloud.web import Call, Reply, Rule


@dataclass(frozen=True)
class ComputeRoute:
    method: str
    path: str
    """Below /v2.1."""
    handler: Callable[[ComputeService, Call], Reply | Awaitable[Reply]]
    rule: Rule
    since: Version = FIRST
    until: Version = LAST
