"""What is done with a server by POST to its action, one member of the body for each."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from inspect import isawaitable
from typing import Any

from calor.localcloud.compute.guards import need_server, require_unlocked
from calor.localcloud.compute.microversions import FIRST, LAST, Version, version_of
from calor.localcloud.compute.records import Server
from calor.localcloud.compute.rules import members
from calor.localcloud.compute.state import Compute
from calor.localcloud.compute.tasks import Task, begin
from calor.localcloud.problems import BadRequest, Forbidden, NotFound
from calor.localcloud.reading import mapping, parse_json
from calor.localcloud.web import Call, Reply, Rule

ACCEPTED = Reply(202)

Act = Callable[[Compute, Call, Server, Any], Reply | Awaitable[Reply]]


@dataclass(frozen=True)
class Action:
    act: Act
    """Given what the member of the body holds."""
    rule: Rule = members
    since: Version = FIRST
    until: Version = LAST
    even_locked: bool = False


def accept(compute: Compute, call: Call, server: Server, task: Task, **changes: Any) -> Reply:
    """The task is begun, and the request answered."""
    begin(compute, call, server, task, **changes)
    return ACCEPTED


def dispatcher(actions: dict[str, Action]) -> Callable[[Compute, Call], Awaitable[Reply]]:
    async def act(compute: Compute, call: Call) -> Reply:
        body = mapping(parse_json(call.raw), "The body")
        server = need_server(compute, call)
        if len(body) != 1:
            raise BadRequest("The body must have one member, which is the action.")
        [(name, content)] = body.items()
        action = actions.get(name)
        if action is None:
            raise BadRequest(f"There is no action {name[:255]}.")
        if not action.since <= version_of(call) <= action.until:
            raise NotFound(f"There is no action {name} in this version of the API.")
        if not action.rule(call):
            raise Forbidden(f"You are not authorized to do {name}.")
        if not action.even_locked:
            require_unlocked(call, server)
        reply = action.act(compute, call, server, content)
        return await reply if isawaitable(reply) else reply

    return act
