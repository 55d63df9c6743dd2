"""JSON requests to one service; errors are raised as CloudErrors."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import quote

from calor.clouds.errors import NotFound, Permanent, translated
from calor.clouds.request_metrics import measured
from calor.resources.values import JsonMapping, JsonObject

if TYPE_CHECKING:
    from keystoneauth1.session import Session
    from requests import Response


class Api:
    """The API of a service, with the session's user and project."""

    def __init__(self, session: Session, url: str, service: str) -> None:
        """`service` is its name in metrics and traces, such as identity."""
        self.session = session
        self.url = url.rstrip("/")
        self.service = service

    def request(
        self,
        method: str,
        *path: str,
        body: JsonMapping | None = None,
        params: Mapping[str, str] | None = None,
    ) -> JsonObject:
        """The body of the response. The parts of the path are quoted here."""
        return content(self.send(method, path_of(*path), body=body, params=params))

    def delete(self, *path: str) -> None:
        """Deletes an object; it is not an error if it does not exist."""
        with suppress(NotFound):
            self.send("DELETE", path_of(*path))

    def send(
        self,
        method: str,
        path: str,
        *,
        body: object = None,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        redirect: bool | None = None,
        log_in_again: bool = True,
    ) -> Response:
        """Sends a request to an already quoted path. After a 401, usually because the token was revoked, the session
        logs in again and repeats the request."""
        with measured(self.service, method) as trace_headers, translated():
            return self.session.request(
                self.url + path,
                method,
                json=body,
                params=params or {},
                headers={"Accept": "application/json", **trace_headers, **(headers or {})},
                redirect=redirect,
                allow_reauth=log_in_again,
                # keystoneauth's debug log would contain passwords and keys from bodies.
                log=False,
            )


def path_of(*parts: str) -> str:
    """The quoted path of an object. Raises NotFound for `.` and `..`, which would lead to another object."""
    if not {".", ".."}.isdisjoint(parts):
        raise NotFound(f"{'/'.join(parts)!r} does not exist.", status=404)
    return "".join(f"/{quote(part, safe='')}" for part in parts)


def content(response: Response) -> JsonObject:
    """The JSON object of a response; an empty one if the response has no body."""
    if not response.content:
        return {}
    try:
        body = response.json()
    except ValueError:
        body = response.text
    if body is None:
        # Neutron may respond with null.
        return {}
    if not isinstance(body, dict):
        request_id = response.headers.get("x-openstack-request-id")
        raise Permanent(
            f"The response of {response.url} is not a JSON object.",
            request_id=request_id,
            status=response.status_code,
        )
    return body
