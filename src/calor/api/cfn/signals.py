"""Pre-signed URLs with which servers, alarms and scripts signal resources."""

from __future__ import annotations

import asyncio
import re
import time
from urllib.parse import unquote

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from calor.api import bodies
from calor.api.cfn.authentication import Authentication, check_signed
from calor.api.cfn.errors import invalid, refusal_of
from calor.api.cfn.parameters import read_fields
from calor.api.cfn.rendering import Renderer
from calor.api.cfn.requests import received
from calor.clouds.ec2 import is_over_body
from calor.observe import fields
from calor.resources.values import JsonObject
from calor.service.authorization import Authorizer
from calor.service.caller import Caller
from calor.store import records, resources, signals, stacks
from calor.store.database import Database

ARN = re.compile(r"arn:openstack:heat::([^:]+):stacks/([^/]+)/([^/]+)/resources/(.+)\Z")
LARGEST_BODY = 1_048_576
UNKNOWN_SIGNER = 16_384
"""The largest body that is read before the signer is known, if the body is signed. It does not depend on the resource,
so that it does not disclose which resources exist."""
PATIENCE = 10.0
"""How many seconds to wait until the signal of a wait condition is handled."""
FIRST_PAUSE, LONGEST_PAUSE = 0.01, 0.2


class SignalHandler:
    def __init__(self, database: Database, authorizer: Authorizer, authentication: Authentication) -> None:
        self._database = database
        self._authorizer = authorizer
        self._authentication = authentication

    async def answer(self, request: Request, *, wait: bool) -> Response:
        try:
            query = read_fields(request.url.query)
            bare = received(request, query)
            check_signed(bare)
            if is_over_body(bare):
                body = await bodies.receive(request, UNKNOWN_SIGNER)
                bare = received(request, query, body=body)
                caller = await run_in_threadpool(self._authentication.signer, bare)
            else:
                caller = await run_in_threadpool(self._authentication.signer, bare)
                body = await bodies.receive(request, LARGEST_BODY)
            signal = await run_in_threadpool(self._signal, bare.path, caller, _details(body))
            if wait:
                await self._until_handled(signal)
        except ClientDisconnect:
            raise
        except Exception as error:
            return Renderer().refusal(refusal_of(error))
        return Response(status_code=200)

    def _signal(self, path: str, caller: Caller, details: JsonObject | None) -> str:
        """Stores the signal and returns its id."""
        use_cases = self._authorizer.authorize(caller, "resource:signal")
        project, stack, resource = self._found(path, caller)
        fields.add(project=project, user=caller.username, stack=stack.name, stack_id=stack.id)
        return use_cases.commands.resources.signal(caller, stack, resource, details)

    def _found(self, path: str, caller: Caller) -> tuple[str, records.Stack, records.Resource]:
        """The project, stack and resource of a request, if the signer may access the stack. Others do not learn whether
        it exists."""
        match = ARN.search(unquote(path))
        missing = invalid("There is no such resource.")
        if match is None:
            raise missing
        project, name, id, resource = match.groups()
        with self._database.connect() as connection:
            stack = stacks.get(connection, id)
            if (
                stack is None
                or (stack.name, stack.project) != (name, project)
                or stack.deleted_at is not None
            ):
                raise missing
            if caller.project not in (project, stacks.user_project(connection, stack.root)):
                raise missing
            found = resources.of_stack(connection, id, resource)
        if not found:
            raise missing
        return project, stack, found[-1]

    async def _until_handled(self, signal: str) -> None:
        """Waits until the signal of a wait condition is in the handle's metadata."""
        end = time.monotonic() + PATIENCE
        pause = FIRST_PAUSE
        while await run_in_threadpool(self._is_waiting, signal) and time.monotonic() < end:
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)

    def _is_waiting(self, signal: str) -> bool:
        with self._database.connect() as connection:
            return signals.is_waiting(connection, signal)


def _details(body: bytes) -> JsonObject | None:
    """The data of the signal. cfn-signal sends it without a content type."""
    text = body.strip()
    if not text:
        return None
    found: JsonObject | None = bodies.parse(text, "")
    if found is None:
        raise invalid("The body must be a JSON object.")
    return found
