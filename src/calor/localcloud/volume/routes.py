"""Routes of the volume service: in a project, from a microversion on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from inspect import isawaitable

from calor.localcloud.microversions import Microversions
from calor.localcloud.problems import BadRequest, NotFound
from calor.localcloud.volume.service import VolumeService
from calor.localcloud.web import Call, Reply, Route, Rule

MICROVERSIONS = Microversions("volume", 3, 70)
microversion = MICROVERSIONS.requested


@dataclass(frozen=True)
class VolumeRoute:
    method: str
    path: str
    """Below the project's own."""
    handler: Callable[[VolumeService, Call], Reply | Awaitable[Reply]]
    rule: Rule
    since: int = 0
    """The first microversion that has it: 27 stands for 3.27."""

    def bound(self, service: VolumeService) -> Route:
        async def answer(call: Call) -> Reply:
            if call.path["project_id"] != call.caller.project_id:
                raise BadRequest("Malformed request url")
            version = microversion(call)
            if version < self.since:
                raise NotFound(f"API version 3.{version} is not supported on this method.")
            reply = self.handler(service, call)
            settled = await reply if isawaitable(reply) else reply
            return replace(settled, headers={**settled.headers, **MICROVERSIONS.header(version)})

        return Route(self.method, f"/v3/{{project_id}}{self.path}", answer, self.rule)
