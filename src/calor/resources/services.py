"""The cloud's services for hooks, with the rights of the stack's owner."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol

from calor.resources.values import JsonMapping, JsonObject

Object = JsonObject


class CloudReader(Protocol):
    """The services of the cloud: `compute`, `network`, `image`, `volume`, `object`, `identity`, or the name of another
    one in the catalog. Errors are those of `calor.clouds.errors`. `version` is a microversion. Read-only contexts
    reject other methods than GET and HEAD."""

    async def project_id(self) -> str: ...

    async def user_id(self) -> str: ...

    async def has(self, service: str) -> bool:
        """Whether the catalog has the service."""

    async def request(
        self,
        service: str,
        method: str,
        *path: str,
        body: JsonMapping | None = None,
        params: Mapping[str, str] | None = None,
        version: str | None = None,
    ) -> Object:
        """Sends an idempotent request, with retries while the service is unavailable; returns the body of the
        response."""

    async def show(self, service: str, *path: str, version: str | None = None) -> Object | None:
        """An object without the member that wraps it; None if it does not exist."""

    async def show_cached(self, service: str, *path: str) -> Object | None:
        """Like `show`, cached for a minute, for objects that rarely change."""

    async def list_all(
        self,
        service: str,
        *path: str,
        key: str,
        params: Mapping[str, str] | None = None,
        version: str | None = None,
    ) -> list[Object]:
        """All objects of a collection, from the member `key` of each page."""

    async def send(
        self,
        service: str,
        method: str,
        *path: str,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        params: Mapping[str, str] | None = None,
    ) -> Any:
        """Sends an idempotent request; returns the response of `requests`."""

    async def id_of(self, kind: str, name_or_id: str) -> str:
        """The id of an object by its name or id. `kind` is a constraint, such as neutron.network."""

    async def wait_until(
        self,
        service: str,
        collection: Sequence[str],
        id: str,
        settled: Callable[[Object | None], bool],
        *,
        key: str | None = None,
        details: str | None = None,
        version: str | None = None,
    ) -> Object | None:
        """Polls an object until `settled` returns true for it, or for None if it does not exist. Concurrent waits share
        one list of the collection, which is a path (with `details` appended, if given). Exceptions of `settled` end the
        wait. Read-only contexts read once."""


class CloudServices(CloudReader, Protocol):
    """The services for hooks that change something."""

    async def request_once(
        self,
        service: str,
        method: str,
        *path: str,
        body: JsonMapping | None = None,
        params: Mapping[str, str] | None = None,
        version: str | None = None,
        is_done: Callable[[], Awaitable[bool]] | None = None,
    ) -> Object:
        """Sends a request that must not be repeated; returns the body of the response. If the response is lost,
        `is_done` checks whether the request was processed, and the result is empty then; without `is_done`, the error
        is raised."""

    async def create(
        self,
        service: str,
        *path: str,
        body: JsonMapping,
        find: Callable[[], Awaitable[Object | None]] | None = None,
        version: str | None = None,
    ) -> Object:
        """POSTs a new object; returns it without the member that wraps it. If the response is lost, `find` looks for
        the object; without `find`, the error is raised."""

    async def temporary_url(self, method: str, container: str, name: str) -> str:
        """A temporary URL of the object store for one method and one object, which never expires."""


class RemoteReader(Protocol):
    async def show(self, id: str) -> Object | None:
        """The stack as the API shows it; None if it does not exist."""


class RemoteStacks(RemoteReader, Protocol):
    """The orchestration API of another region or cloud."""

    async def create(self, body: JsonMapping) -> str:
        """Starts creating a stack; returns its id."""

    async def update(self, id: str, body: JsonMapping) -> None: ...

    async def delete(self, id: str) -> None:
        """Starts deleting the stack if it exists."""

    async def act(self, id: str, action: str) -> None:
        """Starts `suspend`, `resume` or `check`."""
