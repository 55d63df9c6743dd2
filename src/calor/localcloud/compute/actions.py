"""Server actions: POST to /servers/ID/action, with the action as the member of the body."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from inspect import isawaitable

from calor.localcloud.compute.microversions import FIRST, LAST, Version, version_of
from calor.localcloud.compute.policy import members
from calor.localcloud.compute.preconditions import need_server, require_unlocked
from calor.localcloud.compute.records import Server
from calor.localcloud.compute.service import ComputeService
from calor.localcloud.compute.tasks import Task, begin
from calor.localcloud.problems import BadRequest, Forbidden, NotFound
from calor.localcloud.requests import mapping, parse_json
from calor.localcloud.web import Call, Reply, Rule

ACCEPTED = Reply(202)

Act = Callable[[ComputeService, Call, Server, object], Reply | Awaitable[Reply]]


@dataclass(frozen=True)
class Action:
    act: Act
    """Called with the value of the member."""
    rule: Rule = members
    since: Version = FIRST
    until: Version = LAST
    even_locked: bool = False


def accept(compute: ComputeService, call: Call, server: Server, task: Task, **changes: object) -> Reply:
    """Starts the task and answers the request."""
    begin(compute, call, server, task, **changes)
    return ACCEPTED


def dispatcher(actions: dict[str, Action]) -> Callable[[ComputeService, Call], Awaitable[Reply]]:
    async def act(compute: ComputeService, call: Call) -> Reply:
        body = mapping(parse_json(call.raw), "The body")
        server = need_server(compute, call)
        if len(body) != 1:
            raise BadRequest("The body must have exactly one member, the action.")
        [(name, content)] = body.items()
        action = actions.get(name)
        if action is None:
            raise BadRequest(f"Unknown action: {name[:255]}.")
        if not action.since <= version_of(call) <= action.until:
            raise NotFound(f"The action {name} does not exist in this version of the API.")
        if not action.rule(call):
            raise Forbidden(f"You are not authorized to perform the action {name}.")
        if not action.even_locked:
            require_unlocked(call, server)
        reply = action.act(compute, call, server, content)
        return await reply if isawaitable(reply) else reply

    return act
