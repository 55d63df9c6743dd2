"""Requests to one service: bodies are JSON, failures are CloudErrors."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from calor.clouds.errors import NotFound, Permanent, translated
from calor.clouds.telling import told

if TYPE_CHECKING:
    from keystoneauth1.session import Session
    from requests import Response


class Api:
    """A service, in the name of whomever the session is for."""

    def __init__(self, session: Session, url: str, service: str) -> None:
        """`service` is what figures and traces call it: identity, messaging."""
        self.session = session
        self.url = url.rstrip("/")
        self.service = service

    def ask(
        self,
        method: str,
        *path: str,
        body: Mapping[str, Any] | None = None,
        params: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """The body of the answer. The parts of the path need no quoting."""
        return content(self.send(method, path_of(*path), body=body, params=params))

    def delete(self, *path: str) -> None:
        """Deletes it; that it is gone is fine."""
        with suppress(NotFound):
            self.send("DELETE", path_of(*path))

    def send(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        redirect: bool | None = None,
        log_in_again: bool = True,
    ) -> Response:
        """Sends a request to a path that is quoted already. A 401 usually says that the token was revoked, so that
        the session logs in once more and repeats the request."""
        with told(self.service, method) as passed_on, translated():
            return self.session.request(
                self.url + path,
                method,
                json=body,
                params=params or {},
                headers={"Accept": "application/json", **passed_on, **(headers or {})},
                redirect=redirect,
                allow_reauth=log_in_again,
                # Bodies hold passwords and keys, which the debug log of keystoneauth would show.
                log=False,
            )


def path_of(*parts: str) -> str:
    """The path of an object. Raises NotFound for parts that no object can have: with them, the request would reach
    another one."""
    if not {".", ".."}.isdisjoint(parts):
        raise NotFound(f"{'/'.join(parts)!r} names nothing.", status=404)
    return "".join(f"/{quote(part, safe='')}" for part in parts)


def content(answer: Response) -> dict[str, Any]:
    """The object that an answer holds; an empty answer holds an empty one."""
    if not answer.content:
        return {}
    try:
        body = answer.json()
    except ValueError:
        body = answer.text
    if body is None:
        # Neutron writes so where it has nothing to say.
        return {}
    if not isinstance(body, dict):
        request_id = answer.headers.get("x-openstack-request-id")
        raise Permanent(
            f"The answer of {answer.url} is not a JSON object.",
            request_id=request_id,
            status=answer.status_code,
        )
    return body
