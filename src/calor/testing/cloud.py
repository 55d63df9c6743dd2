"""A cloud in memory, with the objects that types create and the requests that they send."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from calor.clouds.errors import CloudError, NotFound, Transient
from calor.clouds.services import unwrapped
from calor.resources.values import JsonMapping, JsonObject

Object = JsonObject
MAX_READS = 100
"""How often a type can read an object while it waits."""


@dataclass(frozen=True, slots=True)
class Request:
    service: str
    method: str
    path: str
    body: Any = None
    params: Any = None
    headers: Any = None
    version: str | None = None

    @property
    def line(self) -> str:
        return f"{self.method} {self.path}"


@dataclass
class FakeCloud:
    """A POST to a collection creates an object, which can then be listed, shown, changed and deleted at its path, in
    any service. For other behaviour, `responses` maps method and path to a body, an error to raise, a list of these
    for successive requests, or a function of the request."""

    ids: dict[tuple[str, str], str] = field(default_factory=dict)
    """The results of `id_of`, by the name of the constraint and the name of the object."""
    responses: JsonObject = field(default_factory=dict)
    next_status: dict[str, str] = field(default_factory=dict)
    """The next status for each status, each time a type waits for an object; after `gone` there is no object."""
    statuses: dict[str, str] = field(default_factory=dict)
    """The status of new objects, by the last part of their collection's path."""
    deleting_status: dict[str, str] = field(default_factory=dict)
    """The status of an object during deletion, by the last part of its collection's path. Without one it is deleted at
    once."""
    objects: dict[str, Object] = field(default_factory=dict)
    """The objects by path."""
    requests: list[Request] = field(default_factory=list)
    loses_responses: bool = False
    """Whether the responses to create requests are lost."""
    missing: frozenset[str] = frozenset()
    """Services that are missing in the catalog."""

    def lines(self, *, without: str | Collection[str] = ()) -> list[str]:
        """The requests so far, such as `GET /servers/s1`, without those of one or several methods."""
        excluded = {without} if isinstance(without, str) else set(without)
        return [request.line for request in self.requests if request.method not in excluded]

    def body(self, line: str) -> Any:
        """The body of the last request with this method and path."""
        return next(request.body for request in reversed(self.requests) if request.line == line)

    def place(self, path: str, **members: Any) -> Object:
        """Adds an existing object."""
        self.objects[path] = {"id": path.rpartition("/")[2], **members}
        return self.objects[path]

    # What types use.

    async def project_id(self) -> str:
        return "p1"

    async def user_id(self) -> str:
        return "u1"

    async def has(self, service: str) -> bool:
        return service not in self.missing

    async def request(
        self,
        service: str,
        method: str,
        *path: str,
        body: JsonMapping | None = None,
        params: Mapping[str, str] | None = None,
        version: str | None = None,
    ) -> Object:
        response: Object = self._respond(
            Request(service, method, "/" + "/".join(path), body, params, version=version)
        )
        return response

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
        try:
            return await self.request(service, method, *path, body=body, params=params, version=version)
        except Transient:
            if is_done is None or not await is_done():
                raise
            return {}

    async def create(
        self,
        service: str,
        *path: str,
        body: JsonMapping,
        find: Callable[[], Awaitable[Object | None]] | None = None,
        version: str | None = None,
    ) -> Object:
        made = unwrapped(await self.request(service, "POST", *path, body=body, version=version))
        if not self.loses_responses:
            return made
        found = await find() if find is not None else None
        if found is None:
            raise Transient("the response is lost", status=503)
        return found

    async def show(self, service: str, *path: str, version: str | None = None) -> Object | None:
        try:
            return unwrapped(await self.request(service, "GET", *path, version=version))
        except NotFound:
            return None

    async def show_cached(self, service: str, *path: str) -> Object | None:
        return await self.show(service, *path)

    async def list_all(
        self,
        service: str,
        *path: str,
        key: str,
        params: Mapping[str, str] | None = None,
        version: str | None = None,
    ) -> list[Object]:
        request = Request(service, "GET", "/" + "/".join(path), None, params, version=version)
        if request.line in self.responses:
            listed: list[Object] = self._respond(request)[key]
            return listed
        self.requests.append(request)
        folder = request.path.removesuffix("/detail")
        return [
            dict(one)
            for place, one in self.objects.items()
            if place.rpartition("/")[0] == folder
            and all(str(one[name]) == value for name, value in (params or {}).items() if name in one)
        ]

    async def send(
        self,
        service: str,
        method: str,
        *path: str,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        params: Mapping[str, str] | None = None,
    ) -> Any:
        """A SimpleNamespace in `responses` is the whole response."""
        request = Request(service, method, "/" + "/".join(path), body, params, headers)
        response = self._respond(request)
        if isinstance(response, SimpleNamespace):
            return response
        return SimpleNamespace(
            status_code=200,
            headers={},
            content=b"",
            url=f"http://{service}{request.path}",
            json=lambda: response,
        )

    async def temporary_url(self, method: str, container: str, name: str) -> str:
        return f"http://object/{container}/{name}?temp_url_sig={method}"

    async def id_of(self, kind: str, name_or_id: str) -> str:
        if (kind, name_or_id) in self.ids:
            return self.ids[kind, name_or_id]
        raise NotFound(f"there is no {kind} {name_or_id!r}", status=404)

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
        for _ in range(MAX_READS):
            self._advance("/" + "/".join((*collection, id)))
            found = await self.show(service, *collection, id, version=version)
            if settled(found):
                return found
        raise AssertionError(f"{id} never reaches the state that the type waits for")

    # Responses.

    def _respond(self, request: Request) -> Any:
        self.requests.append(request)
        if request.line not in self.responses:
            return self._keep(request)
        response = self.responses[request.line]
        if isinstance(response, list):
            response = response.pop(0) if response else self._keep(request)
        if callable(response) and not isinstance(response, type):
            response = response(request)
        if isinstance(response, CloudError):
            raise response
        return response

    def _keep(self, request: Request) -> Object:
        match request.method:
            case "POST" if request.body and not request.path.endswith("/action"):
                return self._make(request)
            case "PUT" | "PATCH" if request.path in self.objects:
                if isinstance(request.body, Mapping):
                    self.objects[request.path].update(unwrapped(dict(request.body)))
                return dict(self.objects[request.path])
            case "GET" | "HEAD" if request.path in self.objects:
                return {"object": dict(self.objects[request.path])}
            case "DELETE" if request.path in self.objects:
                self._delete(request.path)
                return {}
            case "GET" | "DELETE" | "HEAD" | "PATCH":
                raise NotFound("It could not be found.", status=404)
        return {}

    def _make(self, request: Request) -> Object:
        first = next(iter(request.body.values()))
        given = dict(first if isinstance(first, Mapping) else request.body)
        kind = request.path.rpartition("/")[2]
        number = len(self.objects) + 1
        while f"{request.path}/{kind}-{number}" in self.objects:
            number += 1
        id = str(given.get("id") or f"{kind}-{number}")
        status = {"status": self.statuses[kind]} if kind in self.statuses else {}
        self.objects[f"{request.path}/{id}"] = {**given, "id": id, **status}
        return {"object": dict(self.objects[f"{request.path}/{id}"])}

    def _delete(self, path: str) -> None:
        kind = path.rpartition("/")[0].rpartition("/")[2]
        if kind in self.deleting_status:
            self.objects[path]["status"] = self.deleting_status[kind]
        else:
            del self.objects[path]

    def _advance(self, path: str) -> None:
        found = self.objects.get(path)
        following = self.next_status.get(str(found.get("status"))) if found is not None else None
        if following == "gone":
            del self.objects[path]
        elif found is not None and following is not None:
            found["status"] = following
