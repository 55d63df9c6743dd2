"""Client of the orchestration API of another region or cloud."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calor.clouds.calls import Api, content, path_of
from calor.clouds.errors import NotFound, Permanent
from calor.resources.values import JsonMapping, JsonObject

if TYPE_CHECKING:
    from keystoneauth1.session import Session
    from requests import Response

_REDIRECTS = frozenset({301, 302, 305, 307, 308})
# One redirect leads from the id to name and id; more if the API has moved.
_MOST_REDIRECTS = 5


class RemoteHeat:
    """Stacks at an endpoint whose URL has the project in it."""

    def __init__(self, session: Session, url: str) -> None:
        self._api = Api(session, url, "orchestration")

    def create(self, body: JsonMapping) -> str:
        """Starts creating a stack; returns its id."""
        return str(content(self._send("POST", "/stacks", body))["stack"]["id"])

    def validate(self, body: JsonMapping) -> None:
        """Raises CloudError if the template, its environment or files are invalid."""
        self._api.send("POST", "/validate", body=body)

    def show(self, id: str) -> JsonObject | None:
        """The stack as the API shows it; None if it does not exist."""
        try:
            stack: JsonObject = content(self._send("GET", path_of("stacks", id)))["stack"]
        except NotFound:
            return None
        return stack

    def update(self, id: str, body: JsonMapping) -> None:
        self._send("PUT", path_of("stacks", id), body)

    def delete(self, id: str) -> None:
        """Starts deleting a stack; it is not an error if it does not exist."""
        try:
            self._send("DELETE", path_of("stacks", id))
        except NotFound:
            return

    def act(self, id: str, action: str) -> None:
        """Starts `suspend`, `resume`, `check` or another action."""
        self._send("POST", path_of("stacks", id, "actions"), {action: None})

    def _send(self, method: str, path: str, body: JsonMapping | None = None) -> Response:
        for _ in range(_MOST_REDIRECTS):
            response = self._api.send(method, path, body=body, redirect=False)
            if response.status_code not in _REDIRECTS:
                return response
            path = stack_path(response.headers.get("Location", ""))
        raise Permanent(f"{self._api.url} redirects too often.", status=response.status_code)


def stack_path(location: str) -> str:
    """The path of a redirect below the endpoint. Its host is ignored: a server behind a proxy may not know its address,
    and the token must not be sent elsewhere."""
    _, found, stack = location.partition("/stacks/")
    if not found:
        raise Permanent(f"A redirect to {location or 'nowhere'} does not lead to a stack.")
    return found + stack
