"""Requests and replies for handlers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from starlette.responses import Response

from calor.api.errors import BadRequest, notice
from calor.api.settings import ApiSettings
from calor.resources.values import JsonObject
from calor.service.caller import Caller
from calor.service.commands import Commands
from calor.service.policy import Policy
from calor.service.queries import Queries

if TYPE_CHECKING:
    from calor.api.streams import Streams

LARGEST_NUMBER = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Api:
    """The use cases and settings for handlers."""

    queries: Queries
    commands: Commands
    policy: Policy
    settings: ApiSettings
    streams: Streams
    check_caller: Callable[[], object]
    """Raises ServiceError when the caller may no longer send the request, for long responses. It may block."""


@dataclass(frozen=True, slots=True)
class Query:
    """A query string. Names may be repeated."""

    pairs: Sequence[tuple[str, str]]

    @classmethod
    def parse(cls, text: str) -> Query:
        """Raises BadRequest."""
        pairs = parse_qsl(text, keep_blank_values=True, errors="replace")
        if any("\0" in name or "\0" in value for name, value in pairs):
            raise BadRequest("The query has invalid characters.")
        return cls(pairs)

    def get(self, name: str) -> str | None:
        """The last value with a name."""
        return next((value for known, value in reversed(self.pairs) if known == name), None)

    def all(self, name: str) -> list[str]:
        return [value for known, value in self.pairs if known == name]

    def names(self) -> set[str]:
        return {name for name, _ in self.pairs}

    def flag(self, name: str, default: bool = False) -> bool:
        """Raises BadRequest unless the value is true or false, in any case."""
        value = self.get(name)
        if value is None:
            return default
        if value.lower() not in ("true", "false"):
            raise BadRequest(f'Unrecognized value "{value}" for "{name}", acceptable values are: true, false')
        return value.lower() == "true"

    def number(self, name: str) -> int | None:
        """Raises BadRequest unless the value is an integer of at least 0."""
        value = self.get(name)
        if value is None:
            return None
        if not (value.isascii() and value.isdigit()):
            raise BadRequest(f'"{name}" must be an integer of at least 0, not "{value}"')
        return int(value) if len(value) < 10 else LARGEST_NUMBER

    def words(self, name: str) -> tuple[str, ...]:
        """The items of a comma-separated list."""
        value = self.get(name)
        return tuple(value.split(",")) if value else ()


@dataclass(frozen=True, slots=True)
class Call:
    """A routed and authenticated request."""

    caller: Caller
    method: str
    base: str
    """The URL of the API's versions for clients, without a trailing slash."""
    url: str
    """The URL of the request, without its query."""
    path: Mapping[str, str]
    query: Query
    headers: Mapping[str, str]
    raw_query: str = ""
    given: Any = None

    @property
    def body(self) -> JsonObject:
        """The body. Raises BadRequest if there is none."""
        if not isinstance(self.given, dict):
            raise BadRequest("The request requires a body: a JSON object.")
        return self.given


@dataclass(frozen=True, slots=True)
class Reply:
    """`body` is sent as JSON; None means no body, unlike NULL."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


class _Null:
    """JSON's null."""


NULL = Reply(body=_Null)
NO_CONTENT = Reply(204)
ACCEPTED = Reply(202, notice(202))

Handler = Callable[[Api, Call], Reply | Response]


@dataclass(frozen=True, slots=True)
class Route:
    """The handler for a method and a path, with its policy rule."""

    method: str
    path: str
    handler: Handler
    rule: str | Callable[[Call], str]
    """A function if the rule depends on the body."""
    previews: bool = False
    """Whether it evaluates a whole template without creating anything; these are limited for each project."""
    alone: bool = False
    """Whether other methods result in 404 rather than 405."""


def respond(reply: Reply | Response) -> Response:
    if isinstance(reply, Response):
        return reply
    if reply.body is None:
        return Response(status_code=reply.status, headers=dict(reply.headers))
    body = None if reply.body is _Null else reply.body
    content = json.dumps(body, separators=(",", ":"))
    return Response(content, reply.status, dict(reply.headers), media_type="application/json")


def only(names: Iterable[str], allowed: Iterable[str]) -> None:
    """Raises BadRequest if there are other names than the allowed ones."""
    others = sorted(set(names) - set(allowed))
    if others:
        raise BadRequest(f"Unknown query parameters: {', '.join(others)}")
