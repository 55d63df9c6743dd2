"""Routes of the placement service: for admins, from a microversion on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from calor.localcloud.microversions import Microversions
from calor.localcloud.placement.service import PlacementService
from calor.localcloud.policy import admins
from calor.localcloud.problems import NotFound
from calor.localcloud.types import Json
from calor.localcloud.web import Call, Reply, Route

MICROVERSIONS = Microversions("placement", 1, 39)
microversion = MICROVERSIONS.requested


@dataclass(frozen=True)
class PlacementRoute:
    path: str
    handler: Callable[[PlacementService, Call], Json]
    since: int = 0
    """The first microversion that has it: 6 stands for 1.6."""

    def bound(self, service: PlacementService) -> Route:
        def answer(call: Call) -> Reply:
            version = microversion(call)
            if version < self.since:
                raise NotFound("The resource could not be found.")
            headers = {**MICROVERSIONS.header(version), "Cache-Control": "no-cache"}
            return Reply(body=self.handler(service, call), headers=headers)

        return Route("GET", self.path, answer, admins)
