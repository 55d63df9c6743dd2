"""Finds the route for a request by version, path and method."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from calor.api.web import Route

_VERSION = re.compile(r"v(\d+)(?:\.(\d+))?\Z")
_ACCEPTED_VERSION = re.compile(r"application/vnd\.openstack\.orchestration-v(\d+)(?:\.(\d+))?")


class VersionUnknown(Exception):
    """The requested version is missing or unknown; the response lists the versions."""


def unversioned(path: str, accept: str) -> str | None:
    """The path below a version's root; None if it is not below one. Raises VersionUnknown."""
    first, _, rest = path.lstrip("/").partition("/")
    if first in ("", "versions"):
        raise VersionUnknown
    in_path = _VERSION.match(first)
    stated = in_path or _ACCEPTED_VERSION.match(accept)
    if stated is None:
        return None
    if (stated[1], stated[2] or "0") != ("1", "0"):
        raise VersionUnknown
    return rest if in_path else path.lstrip("/")


@dataclass(frozen=True, slots=True)
class Match:
    route: Route
    path: dict[str, str]


@dataclass(frozen=True, slots=True)
class WrongMethod:
    """The path only supports these methods."""

    allowed: tuple[str, ...]


class Router:
    """Matches paths such as `{project}/stacks/{stack_name}`: names in braces match one segment each, or with `:arn` the
    rest of the path if that is an ARN."""

    def __init__(self, routes: Iterable[Route]) -> None:
        self._by_length: dict[int, list[tuple[re.Pattern[str], Route]]] = {}
        self._arns: list[tuple[re.Pattern[str], Route]] = []
        for route in routes:
            pattern = re.compile(_expression(f"{{project}}{route.path}"))
            if ":arn}" in route.path:
                self._arns.append((pattern, route))
            else:
                self._by_length.setdefault(route.path.count("/") + 1, []).append((pattern, route))

    def find(self, path: str, method: str) -> Match | WrongMethod | None:
        candidates = self._by_length.get(path.count("/") + 1, [])
        if "/stacks/arn:" in path:
            candidates = self._arns
        allowed: dict[str, None] = {}
        for pattern, route in candidates:
            found = pattern.match(path)
            if found is None:
                continue
            if route.method == method:
                return Match(route, found.groupdict())
            if not route.alone:
                allowed[route.method] = None
        return WrongMethod(tuple(allowed)) if allowed else None


def _expression(path: str) -> str:
    made = ""
    for part in re.split(r"(\{[^}]+\})", path):
        if part.startswith("{"):
            name, _, kind = part[1:-1].partition(":")
            made += f"(?P<{name}>{'arn:.+' if kind else '[^/]+'})"
        else:
            made += re.escape(part)
    return made + r"\Z"
