"""Pre-signed URLs with which servers, alarms and scripts signal resources."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote
from xml.sax.saxutils import escape

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from calor.api import bodies
from calor.api.observing import ROUTE, Observed
from calor.clouds.ec2 import ReceivedRequest, Signer, claim_of, is_over_body
from calor.clouds.errors import CloudError, Unauthorized
from calor.observe import fields
from calor.resources.values import JsonObject
from calor.service.authorization import Authorizer
from calor.service.caller import Caller
from calor.service.errors import Forbidden, ServiceError
from calor.service.signal_limits import BUSY
from calor.store import records, resources, signals, stacks
from calor.store.database import Database, reading

ARN = re.compile(r"arn:openstack:heat::([^:]+):stacks/([^/]+)/([^/]+)/resources/(.+)\Z")
LARGEST_BODY = 1_048_576
UNKNOWN_SIGNER = 16_384
"""The largest body that is read before the signer is known, if the body is signed. It does not depend on the resource,
so that it does not disclose which resources exist."""
_CODES = {"RequestLimitExceeded": "RequestLimitExceeded"}
"""CloudFormation's codes for errors of use cases, except for invalid values."""
PATIENCE = 10.0
"""How many seconds to wait until the signal of a wait condition is handled."""
FIRST_PAUSE, LONGEST_PAUSE = 0.01, 0.2

Verify = Callable[[ReceivedRequest], Signer]
"""Returns the signer of a request. Raises CloudError."""


class Refused(Exception):
    """A request is refused; `code` is one of CloudFormation's."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message


def create_cfn_app(
    database: Database, authorizer: Authorizer, verify: Verify, *, access_log: bool = True
) -> Starlette:
    """The app. It responds when the signal is stored or, for a wait condition, handled."""
    handler = _SignalHandler(reading(database), authorizer, verify)

    async def signal(request: Request) -> Response:
        request.scope[ROUTE] = "/signal"
        return await handler.answer(request, wait=False)

    async def wait_condition(request: Request) -> Response:
        request.scope[ROUTE] = "/waitcondition"
        return await handler.answer(request, wait=True)

    return Starlette(
        routes=[
            Route("/v1/signal/{arn:path}", signal, methods=["POST"]),
            Route("/v1/waitcondition/{arn:path}", wait_condition, methods=["PUT"]),
        ],
        middleware=[Middleware(Observed, api="cfn", access_log=access_log)],
    )


class _SignalHandler:
    def __init__(self, database: Database, authorizer: Authorizer, verify: Verify) -> None:
        self._database = database
        self._authorizer = authorizer
        self._verify = verify

    async def answer(self, request: Request, *, wait: bool) -> Response:
        try:
            bare = _received(request, b"")
            _check_signed(bare)
            if is_over_body(bare):
                body = await bodies.receive(request, UNKNOWN_SIGNER)
                signer = await run_in_threadpool(self._signer, _received(request, body))
            else:
                signer = await run_in_threadpool(self._signer, bare)
                body = await bodies.receive(request, LARGEST_BODY)
            signal = await run_in_threadpool(self._signal, bare.path, signer, _details(body))
            if wait:
                await self._until_handled(signal)
        except Refused as refused:
            return _error(refused)
        except Forbidden as error:
            return _error(Refused(403, "AccessDenied", error.message))
        except ServiceError as error:
            if error.kind == BUSY:
                return _error(Refused(409, "Throttling", error.message))
            return _error(Refused(400, _CODES.get(error.kind, "InvalidParameterValue"), error.message))
        return Response(status_code=200)

    def _signal(self, path: str, signer: Any, details: JsonObject | None) -> str:
        """Stores the signal and returns its id."""
        caller = Caller(
            user_id=signer["user"]["id"],
            username=signer["user"]["name"],
            project=signer["project"]["id"],
            roles=tuple(role["name"] for role in signer.get("roles", ())),
        )
        use_cases = self._authorizer.authorize(caller, "resource:signal")
        project, stack, resource = self._found(path, signer)
        fields.add(project=project, user=caller.username, stack=stack.name, stack_id=stack.id)
        return use_cases.commands.resources.signal(caller, stack, resource, details)

    def _signer(self, received: ReceivedRequest) -> Any:
        try:
            return self._verify(received).details
        except Unauthorized:
            raise Refused(403, "AccessDenied", "The signature is not valid.") from None
        except CloudError as error:
            raise Refused(503, "ServiceUnavailable", str(error)) from None

    def _found(self, path: str, signer: Any) -> tuple[str, records.Stack, records.Resource]:
        """The project, stack and resource of a request, if the signer may access the stack. Others do not learn whether
        it exists."""
        match = ARN.search(unquote(path))
        missing = Refused(400, "InvalidParameterValue", "There is no such resource.")
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
            if signer["project"]["id"] not in (project, stacks.user_project(connection, stack.root)):
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


def _check_signed(received: ReceivedRequest) -> None:
    if claim_of(received) is None:
        raise Refused(400, "IncompleteSignature", "The request is not signed.")


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


def _details(body: bytes) -> JsonObject | None:
    """The data of the signal. cfn-signal sends it without a content type."""
    text = body.strip()
    if not text:
        return None
    found: JsonObject | None = bodies.parse(text, "")
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
