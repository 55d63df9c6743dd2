"""The orchestration API of another region or cloud."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from calor.clouds.calls import Api, content, path_of
from calor.clouds.errors import NotFound, Permanent

if TYPE_CHECKING:
    from keystoneauth1.session import Session
    from requests import Response

_REDIRECTS = frozenset({301, 302, 305, 307, 308})
# One leads from the id to the name and the id; a few more from an old address to the new one.
_MOST_REDIRECTS = 5


class RemoteHeat:
    """Stacks at an endpoint whose URL has the project in it."""

    def __init__(self, session: Session, url: str) -> None:
        self._api = Api(session, url, "orchestration")

    def create(self, body: Mapping[str, Any]) -> str:
        """Begins to create a stack; its id."""
        return str(content(self._send("POST", "/stacks", body))["stack"]["id"])

    def validate(self, body: Mapping[str, Any]) -> None:
        """Raises CloudError when the template, its environment and files would not be accepted."""
        self._api.send("POST", "/validate", body=body)

    def show(self, id: str) -> dict[str, Any] | None:
        """The stack as the API shows it, None if there is none."""
        try:
            stack: dict[str, Any] = content(self._send("GET", path_of("stacks", id)))["stack"]
        except NotFound:
            return None
        return stack

    def update(self, id: str, body: Mapping[str, Any]) -> None:
        self._send("PUT", path_of("stacks", id), body)

    def delete(self, id: str) -> None:
        """Begins to delete a stack; that it is gone is fine."""
        try:
            self._send("DELETE", path_of("stacks", id))
        except NotFound:
            return

    def act(self, id: str, action: str) -> None:
        """Begins `suspend`, `resume`, `check` or another action."""
        self._send("POST", path_of("stacks", id, "actions"), {action: None})

    def _send(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Response:
        for _ in range(_MOST_REDIRECTS):
            answer = self._api.send(method, path, body=body, redirect=False)
            if answer.status_code not in _REDIRECTS:
                return answer
            path = stack_path(answer.headers.get("Location", ""))
        raise Permanent(f"{self._api.url} redirects again and again.", status=answer.status_code)


def stack_path(location: str) -> str:
    """Where a redirection leads, below the endpoint. What stands before that is not followed: a server behind a proxy
    may have its own address wrong, and the token is for nobody else."""
    _, found, stack = location.partition("/stacks/")
    if not found:
        raise Permanent(f"A redirection does not lead to a stack but to {location or 'nowhere'}.")
    return found + stack
