"""Handles a request for an action, from its parameters to the response."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from calor.api import bodies
from calor.api.addresses import base_url
from calor.api.cfn.actions.call import ActionSettings, Call
from calor.api.cfn.actions.table import ACTIONS, Action
from calor.api.cfn.authentication import Authentication
from calor.api.cfn.errors import Refused, refusal_of
from calor.api.cfn.parameters import Parameters, read_fields, read_form
from calor.api.cfn.rendering import Renderer
from calor.api.cfn.requests import received
from calor.api.lanes import Lanes
from calor.api.observing import ROUTE
from calor.api.threads import MOST_THREADS, Threads
from calor.clouds.ec2 import ReceivedRequest
from calor.fetching.slots import budget
from calor.observe import fields
from calor.service.authorization import Authorizer
from calor.service.caller import Caller

LARGEST_FORM = 2 * 1024 * 1024
"""The largest body in bytes. Larger templates are given by their URLs, or to the REST API."""
SMALL_FORM = 16_384
LARGE_FORMS_OF_A_CLIENT = 8
"""The maximum number of bodies above SMALL_FORM that are received from one address at the same time: a body has to be
read before the signature over it can be verified."""
FORM_SECONDS = 60.0
_WAITING_FORMS = 32
_WAITING = 32
_WAITING_CHANGES = 1000
_FETCHING_SECONDS = 60.0
"""The time limit for fetching all templates of a request."""


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    actions: ActionSettings = field(default_factory=ActionSettings)
    previews_at_once: int = 4
    """The maximum number of concurrent validations and estimates of a project."""
    largest_body: int = LARGEST_FORM
    trust_proxy_headers: bool = False
    """Whether to trust X-Forwarded-Proto, -Host, -Port and -Prefix."""


class ActionEndpoint:
    def __init__(
        self, authorizer: Authorizer, authentication: Authentication, settings: EndpointSettings
    ) -> None:
        self._authorizer = authorizer
        self._authentication = authentication
        self._settings = settings
        self._threads = Threads()
        self._forms = Lanes(LARGE_FORMS_OF_A_CLIENT, _WAITING_FORMS)
        self._previews = Lanes(settings.previews_at_once, _WAITING)
        self._changes = Lanes(MOST_THREADS // 2, _WAITING_CHANGES)

    async def answer(self, request: Request) -> Response:
        renderer = Renderer()
        try:
            query = read_fields(request.url.query)
            renderer = Renderer.of(Parameters(query))
            bare = received(request, query)
            caller = None
            if self._authentication.goes_by_token(bare):
                caller = await self._threads.run(self._authentication.by_token, bare)
            signed = await self._with_body(request, bare)
            parameters = Parameters(signed.params)
            renderer = Renderer.of(parameters)
            if caller is None:
                caller = await self._threads.run(self._authentication.dated_signer, signed)
            action = _action(parameters)
            request.scope[ROUTE] = f"/v1?Action={action.name}"
            fields.add(project=caller.project, user=caller.username, stack=parameters.get("StackName"))
            base = base_url(request, self._settings.trust_proxy_headers)
            async with self._lane(action, caller):
                with budget(_FETCHING_SECONDS):
                    result = await self._threads.run(self._handled, action, caller, parameters, base)
            return renderer.result(action.name, result)
        except ClientDisconnect:
            raise
        except Exception as error:
            refusal = refusal_of(error)
            challenge = self._authentication.challenge
            headers = {"WWW-Authenticate": challenge} if refusal.status == 401 and challenge else None
            return renderer.refusal(refusal, headers)

    async def _with_body(self, request: Request, bare: ReceivedRequest) -> ReceivedRequest:
        size = bodies.announced(request)
        if size == 0:
            return bare
        largest = min(LARGEST_FORM, self._settings.largest_body)
        if size is not None and size <= SMALL_FORM:
            body = await bodies.receive(request, largest, FORM_SECONDS)
        else:
            client = request.client.host if request.client is not None else ""
            async with self._forms.lane(client):
                body = await bodies.receive(request, largest, FORM_SECONDS)
        form = read_form(body, request.headers.get("content-type", ""))
        return received(request, bare.query, form, body)

    @asynccontextmanager
    async def _lane(self, action: Action, caller: Caller) -> AsyncIterator[None]:
        """Limits the threads that one project can use."""
        if not action.work:
            yield
            return
        lanes = self._previews if action.work == "preview" else self._changes
        async with lanes.lane(caller.home):
            yield

    def _handled(self, action: Action, caller: Caller, parameters: Parameters, base: str) -> object:
        use_cases = self._authorizer.authorize(caller, action.rule)
        return action.handler(Call(caller, use_cases, parameters, base, self._settings.actions))


def _action(parameters: Parameters) -> Action:
    name = parameters.get("Action")
    action = ACTIONS.get(name or "")
    if action is None:
        message = "The parameter Action is missing." if name is None else f"There is no action {name!r}."
        raise Refused("InvalidAction", message)
    return action
