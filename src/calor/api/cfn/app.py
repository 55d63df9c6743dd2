"""Pre-signed URLs that servers, alarms and scripts signal resources with."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote
from xml.sax.saxutils import escape

from sqlalchemy import Engine, select
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from calor.api import bodies
from calor.api.observing import ROUTE, Observed
from calor.clouds.ec2 import ReceivedRequest, Signer, claim_of
from calor.clouds.errors import CloudError, Unauthorized
from calor.observe import fields
from calor.service.caller import Caller
from calor.service.errors import Forbidden, ServiceError
from calor.service.gate import Gate
from calor.store import records, tables
from calor.store.database import reading

ARN = re.compile(r"arn:openstack:heat::([^:]+):stacks/([^/]+)/([^/]+)/resources/(.+)\Z")
LARGEST_BODY = 1_048_576
SMALL_BODY = 16_384
_CODES = {"RequestLimitExceeded": "RequestLimitExceeded"}
"""What CloudFormation calls the errors of use cases, where that is not simply a wrong value."""
PATIENCE = 10.0
"""Seconds in which a wait condition's signal should be handled."""
FIRST_PAUSE, LONGEST_PAUSE = 0.01, 0.2

Verify = Callable[[ReceivedRequest], Signer]
"""Who signed a request. Raises CloudError."""


class Refused(Exception):
    """A request is not done; `code` is one of CloudFormation's."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message


def create_cfn_app(database: Engine, gate: Gate, verify: Verify, *, access_log: bool = True) -> Starlette:
    """The app. A request is answered when its signal is written down or, for a wait condition, handled."""
    door = _Door(reading(database), gate, verify)

    async def signal(request: Request) -> Response:
        request.scope[ROUTE] = "/signal"
        return await door.answer(request, wait=False)

    async def wait_condition(request: Request) -> Response:
        request.scope[ROUTE] = "/waitcondition"
        return await door.answer(request, wait=True)

    return Starlette(
        routes=[
            Route("/v1/signal/{arn:path}", signal, methods=["POST"]),
            Route("/v1/waitcondition/{arn:path}", wait_condition, methods=["PUT"]),
        ],
        middleware=[Middleware(Observed, api="cfn", access_log=access_log)],
    )


class _Door:
    def __init__(self, database: Engine, gate: Gate, verify: Verify) -> None:
        self._database = database
        self._gate = gate
        self._verify = verify

    async def answer(self, request: Request, *, wait: bool) -> Response:
        try:
            largest = await run_in_threadpool(self._largest_body, _received(request, b""))
            body = await bodies.receive(request, largest)
            signal = await run_in_threadpool(self._signal, _received(request, body), _details(body))
            if wait:
                await self._until_handled(signal)
        except Refused as refused:
            return _error(refused)
        except Forbidden as error:
            return _error(Refused(403, "AccessDenied", error.message))
        except ServiceError as error:
            return _error(Refused(400, _CODES.get(error.kind, "InvalidParameterValue"), error.message))
        return Response(status_code=200)

    def _signal(self, received: ReceivedRequest, details: dict[str, Any] | None) -> str:
        """The id under which the signal is written down."""
        signer = self._signer(received)
        caller = Caller(
            user_id=signer["user"]["id"],
            username=signer["user"]["name"],
            project=signer["project"]["id"],
            roles=tuple(role["name"] for role in signer.get("roles", ())),
        )
        admitted = self._gate.admit(caller, "resource:signal")
        project, stack, resource = self._found(received, signer)
        fields.learn(project=project, user=caller.username, stack=stack.name, stack_id=stack.id)
        return admitted.commands.signal(caller, stack, resource, details)

    def _largest_body(self, received: ReceivedRequest) -> int:
        """The signature is over the body, so that this must be read before anybody is known: much of it only for a
        stack that exists, whose id nobody guesses."""
        self._claimed(received)
        match = ARN.search(unquote(received.path))
        if match is None:
            return SMALL_BODY
        query = select(tables.stack.c.id).where(
            tables.stack.c.id == match[3], tables.stack.c.project == match[1]
        )
        with self._database.connect() as connection:
            return LARGEST_BODY if connection.execute(query).first() is not None else SMALL_BODY

    @staticmethod
    def _claimed(received: ReceivedRequest) -> None:
        if claim_of(received) is None:
            raise Refused(400, "IncompleteSignature", "The request is not signed.")

    def _signer(self, received: ReceivedRequest) -> Any:
        self._claimed(received)
        try:
            return self._verify(received).details
        except Unauthorized:
            raise Refused(403, "AccessDenied", "The signature is not valid.") from None
        except CloudError as error:
            raise Refused(503, "ServiceUnavailable", str(error)) from None

    def _found(self, received: ReceivedRequest, signer: Any) -> tuple[str, records.Stack, records.Resource]:
        """The project, stack and resource that a request is about, if its signer may signal it."""
        match = ARN.search(unquote(received.path))
        missing = Refused(400, "InvalidParameterValue", "There is no such resource.")
        if match is None:
            raise missing
        project, name, id, resource = match.groups()
        with self._database.connect() as connection:
            row = connection.execute(select(tables.stack).where(tables.stack.c.id == id)).one_or_none()
            if row is None or (row.name, row.project) != (name, project) or row.deleted_at is not None:
                raise missing
            root = connection.execute(
                select(tables.stack.c.user_project).where(tables.stack.c.id == row.root)
            ).scalar_one()
            if signer["project"]["id"] not in (project, root):
                raise Refused(403, "AccessDenied", "The signer has nothing to do with the stack.")
            table = tables.resource
            query = select(table).where(table.c.stack == id, table.c.name == resource)
            found = connection.execute(query.order_by(table.c.created_at.desc())).first()
        if found is None:
            raise missing
        return project, records.record(records.Stack, row), records.record(records.Resource, found)

    async def _until_handled(self, signal: str) -> None:
        """A wait condition's signal counts when it is in the handle's metadata."""
        end = time.monotonic() + PATIENCE
        pause = FIRST_PAUSE
        while await run_in_threadpool(self._is_waiting, signal) and time.monotonic() < end:
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)

    def _is_waiting(self, signal: str) -> bool:
        query = select(tables.inbox.c.id).where(tables.inbox.c.id == signal)
        with self._database.connect() as connection:
            return connection.execute(query).first() is not None


def _received(request: Request, body: bytes) -> ReceivedRequest:
    raw = request.scope.get("raw_path") or request.url.path.encode()
    return ReceivedRequest(
        verb=request.method,
        host=request.headers.get("host", ""),
        path=raw.decode("latin-1").partition("?")[0],
        query=dict(request.query_params),
        headers=dict(request.headers),
        body=body,
    )


def _details(body: bytes) -> dict[str, Any] | None:
    """What is signalled; cfn-signal sends it without saying what it is."""
    text = body.strip()
    if not text:
        return None
    found: dict[str, Any] | None = bodies.parse(text, "")
    if found is None:
        raise Refused(400, "InvalidParameterValue", "The body must be a JSON object.")
    return found


def _error(refused: Refused) -> Response:
    kind = "Sender" if refused.status < 500 else "Server"
    body = (
        f"<ErrorResponse><Error><Type>{kind}</Type><Code>{refused.code}</Code>"
        f"<Message>{escape(refused.message)}</Message></Error></ErrorResponse>"
    )
    return Response(body, refused.status, media_type="application/xml")
