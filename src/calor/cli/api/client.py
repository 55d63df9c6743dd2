"""The orchestration API client that the commands use."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import quote, unquote, urlencode

from calor.cli.api.http import Answer, Http
from calor.cli.api.identity import Access, endpoint, log_in, renews
from calor.cli.api.settings import CloudSettings
from calor.cli.errors import CommandError
from calor.cli.json_values import JsonObject

_REDIRECTS = (301, 302, 303, 305, 307, 308)
_PAGE = 1000

Query = Mapping[str, Any]


class ApiError(CommandError):
    """The service refused a request. `diagnostics` are the errors in a template, as JSON; only Calor sends
    them."""

    def __init__(
        self, status: int, message: str, kind: str = "", hint: str = "", diagnostics: Sequence[object] = ()
    ) -> None:
        super().__init__(message, hint)
        self.status = status
        self.is_temporary = status >= 500
        self.kind = kind
        self.diagnostics = tuple(diagnostics)


@dataclass(frozen=True, slots=True)
class StackRef:
    name: str
    id: str

    @property
    def path(self) -> str:
        return path_of("stacks", self.name, self.id)


class Heat:
    """Logs in with the first request, and again when the token has expired."""

    def __init__(self, choose: Callable[[], CloudSettings], arguments: argparse.Namespace) -> None:
        self._choose = choose
        self._debug = getattr(arguments, "debug", False)

    @cached_property
    def settings(self) -> CloudSettings:
        return self._choose()

    @cached_property
    def http(self) -> Http:
        return Http(self.settings, debug=self._debug)

    @cached_property
    def access(self) -> Access:
        return log_in(self.settings, self.http)

    @cached_property
    def url(self) -> str:
        return endpoint(self.settings, self.access, self.settings.service_type)

    def service_url(self, service_type: str) -> str:
        return endpoint(self.settings, self.access, service_type)

    @property
    def target(self) -> str:
        """The cloud and the project, for messages."""
        project = self.access.project_name or self.access.project_id or "of the token"
        return f"cloud {self.settings.name}, project {project}"

    def find(self, reference: str) -> StackRef:
        """The stack with this name, id or `name/id`."""
        name, slash, id = reference.partition("/")
        if slash and id and "/" not in id:
            return StackRef(name, id)
        answer = self._once("GET", path_of("stacks", reference))
        address = answer.headers.get("location", "")
        if answer.status in _REDIRECTS and "/stacks/" in address:
            parts = address.partition("?")[0].partition("/stacks/")[2].split("/")
            if len(parts) > 1:
                return StackRef(unquote(parts[0]), unquote(parts[1]))
        if answer.status == 404:
            raise ApiError(
                404, f"there is no stack {reference}", "EntityNotFound", "`calor stack list` lists them"
            )
        self._checked(answer)
        raise CommandError(f"{self.url} does not redirect to the stack {reference}", "is it a Heat API?")

    def get(self, path: str, query: Query | None = None) -> Any:
        return self._ask("GET", path, query)

    def post(self, path: str, body: Any = None, query: Query | None = None) -> Any:
        return self._ask("POST", path, query, body)

    def put(self, path: str, body: Any, query: Query | None = None) -> Any:
        return self._ask("PUT", path, query, body)

    def patch(self, path: str, body: Any, query: Query | None = None) -> Any:
        return self._ask("PATCH", path, query, body)

    def delete(self, path: str) -> Any:
        return self._ask("DELETE", path)

    def pages(self, path: str, key: str, query: Query, limit: int | None) -> Iterator[JsonObject]:
        """The items of a list, requested in pages; at most `limit`."""
        left = limit
        asked = dict(query)
        while left is None or left > 0:
            size = _PAGE if left is None else min(left, _PAGE)
            found = self.get(path, {**asked, "limit": size})[key]
            yield from found
            if len(found) < size:
                return
            asked["marker"] = found[-1]["id"]
            left = None if left is None else left - len(found)

    def stream(self, path: str, query: Query, last: str, silence: float) -> Iterator[str]:
        """The lines of the stream of events after the last known one, at most `silence` seconds apart. Raises
        CommandError."""

        def ask() -> tuple[Answer | None, Iterator[str]]:
            headers = {**self.headers(), "Accept": "text/event-stream"}
            if last:
                headers["Last-Event-ID"] = last
            return self.http.lines(self.url + path + _query(query), headers, silence)

        refused, lines = ask()
        if refused is not None and self._token_expired(refused):
            refused, lines = ask()
        if refused is not None:
            self._checked(refused)
            raise ApiError(refused.status, f"{self.url} has no event stream")
        return lines

    def headers(self) -> dict[str, str]:
        token = self.access.token
        made = {"Accept": "application/json", **({"X-Auth-Token": token} if token else {})}
        if self.settings.region:
            made["X-Region-Name"] = self.settings.region
        if self.settings.include_password:
            auth = self.settings.auth
            made |= {"X-Auth-User": auth.get("username", ""), "X-Auth-Key": auth.get("password", "")}
        return made

    def _ask(self, method: str, path: str, query: Query | None = None, body: Any = None) -> Any:
        answer = self._checked(self._once(method, path, query, body))
        content = answer.json()
        # The body of a 202 may be plain text or empty.
        needs_json = method == "GET" or (answer.body and answer.status != 202)
        if content is None and needs_json and answer.body.strip() != b"null":
            raise CommandError(
                f"{self.url} is not the URL of an orchestration API: the response is not valid JSON",
                "check HEAT_URL, or the endpoint in the catalog",
            )
        return content

    def _once(self, method: str, path: str, query: Query | None = None, body: Any = None) -> Answer:
        more = {} if body is None else {"Content-Type": "application/json"}
        content = None if body is None else json.dumps(body).encode()

        def ask() -> Answer:
            return self.http.send(
                method, self.url + path + _query(query), {**self.headers(), **more}, content
            )

        answer = ask()
        return ask() if self._token_expired(answer) else answer

    def _token_expired(self, answer: Answer) -> bool:
        """Whether the service no longer accepts the token, so that the next request has to log in again."""
        if answer.status != 401 or not renews(self.settings):
            return False
        del self.access
        return True

    def _checked(self, answer: Answer) -> Answer:
        if answer.status < 300:
            return answer
        content = answer.json()
        error = content.get("error") if isinstance(content, dict) else None
        kind, message = "", None
        if isinstance(error, dict):
            kind, message = error.get("type") or "", error.get("message")
        if not message and isinstance(content, dict):
            message = content.get("explanation") or content.get("message") or content.get("title")
        if not message:
            message = answer.words() or "the service does not give a reason"
        if answer.status >= 500:
            request_id = answer.headers.get("x-openstack-request-id")
            message = f"the service failed: {message}" + (f" [{request_id}]" if request_id else "")
        listed = content.get("diagnostics") if isinstance(content, dict) else None
        diagnostics = listed if isinstance(listed, list) else ()
        raise ApiError(answer.status, str(message).strip(), kind, _hint(answer.status, kind), diagnostics)


def _hint(status: int, kind: str) -> str:
    if status == 401:
        return "the token is not valid; log in again"
    if status == 403:
        return "your roles in this project do not allow it"
    if kind == "StackExists":
        return "`calor stack update` changes it"
    if kind == "UserParameterMissing":
        return "give it with --parameter NAME=VALUE"
    return ""


def path_of(*parts: str) -> str:
    return "".join(f"/{quote(part, safe='')}" for part in parts)


def _query(query: Query | None) -> str:
    pairs: list[tuple[str, str]] = []
    for name, value in (query or {}).items():
        listed = value if isinstance(value, list) else [value]
        pairs.extend((name, str(one)) for one in listed if one is not None and one is not False)
    return f"?{urlencode(pairs)}" if pairs else ""
