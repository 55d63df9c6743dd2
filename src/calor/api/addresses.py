"""The URLs of stacks and resources, as clients see them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.types import Scope


def path_below_root(scope: Scope) -> str:
    """The path of a request, without the prefix at which the API is mounted."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


def url_length(scope: Scope) -> int:
    """The length of a request's URL. Assembling the URL itself takes as long as finding its route."""
    host = next((value for name, value in scope["headers"] if name == b"host"), b"")
    query = scope["query_string"]
    return len(f"{scope['scheme']}://{scope['path']}") + len(host) + (len(query) + 1 if query else 0)


def base_url(request: Request, trust_proxy: bool) -> str:
    """The URL before the version, as the client uses it."""
    headers = request.headers
    scheme = request.scope["scheme"]
    host = headers.get("host") or "localhost"
    prefix = request.scope.get("root_path", "").rstrip("/")
    if trust_proxy:
        scheme = _first(headers, "x-forwarded-proto") or scheme
        host = _first(headers, "x-forwarded-host") or host
        port = _first(headers, "x-forwarded-port")
        if port.isdigit() and ":" not in host.rpartition("]")[2]:
            host = host if port == {"http": "80", "https": "443"}.get(scheme) else f"{host}:{port}"
        prefix = _first(headers, "x-forwarded-prefix").rstrip("/") + prefix
    return f"{scheme}://{host}{prefix}"


def _first(headers: Mapping[str, str], name: str) -> str:
    """The value set by the proxy nearest to the client."""
    return headers.get(name, "").partition(",")[0].strip()


def stack_url(base: str, stack: Any) -> str:
    """The URL of an object with a project, a name and an id."""
    return _stack_url(base, stack.project, stack.name, stack.id)


def resource_url(base: str, stack: Any, resource: str) -> str:
    return f"{stack_url(base, stack)}/resources/{_quoted(resource)}"


# All links in a list are to the same stack, and lists are requested often.
@lru_cache(1024)
def _stack_url(base: str, project: str, name: str, id: str) -> str:
    return f"{base}/v1/{quote(project)}/stacks/{quote(name)}/{quote(id)}"


@lru_cache(1024)
def _quoted(name: str) -> str:
    return quote(name, safe="")


def link(href: str, rel: str = "self") -> dict[str, str]:
    return {"href": href, "rel": rel}


def versions(base: str) -> dict[str, object]:
    """The body that lists the versions of an API."""
    return {"versions": [{"id": "v1.0", "status": "CURRENT", "links": [link(f"{base}/v1/")]}]}
