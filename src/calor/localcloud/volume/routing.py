"""Routes of the volume service: in a project, from a microversion on."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from inspect import isawaitable

from calor.localcloud.problems import BadRequest, NotAcceptable, NotFound
from calor.localcloud.volume.state import VolumeService
from calor.localcloud.web import Call, Reply, Route, Rule

NEWEST = 70
_ASKED = re.compile(r"volume\s+(?:3\.([0-9]{1,4})|(latest))")


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
            told = {"OpenStack-API-Version": f"volume 3.{version}"}
            return replace(settled, headers={**settled.headers, **told})

        return Route(self.method, f"/v3/{{project_id}}{self.path}", answer, self.rule)


def microversion(call: Call) -> int:
    """The minor version that the client asks for: 0 if it asks for none."""
    header = call.headers.get("openstack-api-version", "")
    if "volume" not in header:
        return 0
    asked = _ASKED.search(header)
    if asked is None:
        raise BadRequest(f"API Version String '{header[:100]}' is of invalid format. Must be of format 3.X.")
    minor = NEWEST if asked[2] else int(asked[1])
    if minor > NEWEST:
        raise NotAcceptable(
            f"Version 3.{minor} is not supported by the API. Minimum is 3.0 and maximum is 3.{NEWEST}."
        )
    return minor


_READING = frozenset({"reader", "member", "admin"})


def readers(call: Call) -> bool:
    """Not those with other roles, such as the users that stacks have for their servers."""
    return bool(call.caller.roles & _READING)


def writers(call: Call) -> bool:
    """Not those who may only read."""
    return call.caller.is_admin or "member" in call.caller.roles


def admins(call: Call) -> bool:
    return call.caller.is_admin
