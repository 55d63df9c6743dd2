"""A cloud for types to work with, without a network: collections in memory, and all that was asked for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from calor.clouds.errors import CloudError, NotFound, Transient
from calor.clouds.services import unwrapped

Object = dict[str, Any]
PATIENCE = 100
"""As often an object is read for somebody who waits."""


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
    """`POST` to a collection makes an object, which can be listed, shown, changed and deleted at its path from then
    on, whatever the service. What is to be otherwise stands in `answers`, by method and path: a body, an error to
    raise, a list of such that are used up one after the other, or a function of the request."""

    ids: dict[tuple[str, str], str] = field(default_factory=dict)
    """What names stand for, by the kind of thing."""
    answers: dict[str, Any] = field(default_factory=dict)
    grows: dict[str, str] = field(default_factory=dict)
    """The status that follows a status when an object is waited for; one that becomes `gone` is gone."""
    statuses: dict[str, str] = field(default_factory=dict)
    """The status of new objects, by the last part of their collection's path."""
    vanishes: dict[str, str] = field(default_factory=dict)
    """The status of an object that is deleted, by the last part of its collection's path; else it is gone."""
    objects: dict[str, Object] = field(default_factory=dict)
    """By path."""
    requests: list[Request] = field(default_factory=list)
    loses_answers: bool = False
    """Whether the answers to what makes something get lost."""
    missing: frozenset[str] = frozenset()
    """Services that the catalog does not have."""

    def lines(self, *but: str) -> list[str]:
        """All requests so far, but those of some methods."""
        return [request.line for request in self.requests if request.method not in but]

    def body(self, line: str) -> Any:
        """The body of the last request of a kind."""
        return next(request.body for request in reversed(self.requests) if request.line == line)

    def place(self, path: str, **members: Any) -> Object:
        """Puts an object where it can be found."""
        self.objects[path] = {"id": path.rpartition("/")[2], **members}
        return self.objects[path]

    # What types use.

    async def project_id(self) -> str:
        return "p1"

    async def user_id(self) -> str:
        return "u1"

    async def has(self, service: str) -> bool:
        return service not in self.missing

    async def ask(
        self,
        service: str,
        method: str,
        *path: str,
        body: Mapping[str, Any] | None = None,
        params: Mapping[str, str] | None = None,
        version: str | None = None,
    ) -> Object:
        answer: Object = self._answer(
            Request(service, method, "/" + "/".join(path), body, params, version=version)
        )
        return answer

    ask_once = ask

    async def make(
        self,
        service: str,
        *path: str,
        body: Mapping[str, Any],
        find: Callable[[], Awaitable[Object | None]] | None = None,
        version: str | None = None,
    ) -> Object:
        made = unwrapped(await self.ask(service, "POST", *path, body=body, version=version))
        if not self.loses_answers:
            return made
        found = await find() if find is not None else None
        if found is None:
            raise Transient("the answer is lost", status=503)
        return found

    async def show(self, service: str, *path: str, version: str | None = None) -> Object | None:
        try:
            return unwrapped(await self.ask(service, "GET", *path, version=version))
        except NotFound:
            return None

    async def recent(self, service: str, *path: str) -> Object | None:
        return await self.show(service, *path)

    async def all(
        self,
        service: str,
        *path: str,
        key: str,
        params: Mapping[str, str] | None = None,
        version: str | None = None,
    ) -> list[Object]:
        request = Request(service, "GET", "/" + "/".join(path), None, params, version=version)
        if request.line in self.answers:
            listed: list[Object] = self._answer(request)[key]
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
        """Where `answers` gives a SimpleNamespace, that is the whole answer."""
        request = Request(service, method, "/" + "/".join(path), body, params, headers)
        answer = self._answer(request)
        if isinstance(answer, SimpleNamespace):
            return answer
        return SimpleNamespace(
            status_code=200,
            headers={},
            content=b"",
            url=f"http://{service}{request.path}",
            json=lambda: answer,
        )

    async def temporary_url(self, method: str, container: str, name: str) -> str:
        return f"http://object/{container}/{name}?temp_url_sig={method}"

    async def id_of(self, kind: str, name_or_id: str) -> str:
        if (kind, name_or_id) in self.ids:
            return self.ids[kind, name_or_id]
        raise NotFound(f"There is no {kind} {name_or_id!r}.", status=404)

    async def until(
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
        for _ in range(PATIENCE):
            self._grow("/" + "/".join((*collection, id)))
            found = await self.show(service, *collection, id, version=version)
            if settled(found):
                return found
        raise AssertionError(f"{id} never becomes what is waited for")

    # How it answers.

    def _answer(self, request: Request) -> Any:
        self.requests.append(request)
        if request.line not in self.answers:
            return self._keep(request)
        answer = self.answers[request.line]
        if isinstance(answer, list):
            answer = answer.pop(0) if answer else self._keep(request)
        if callable(answer) and not isinstance(answer, type):
            answer = answer(request)
        if isinstance(answer, CloudError):
            raise answer
        return answer

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
        if kind in self.vanishes:
            self.objects[path]["status"] = self.vanishes[kind]
        else:
            del self.objects[path]

    def _grow(self, path: str) -> None:
        found = self.objects.get(path)
        following = self.grows.get(str(found.get("status"))) if found is not None else None
        if following == "gone":
            del self.objects[path]
        elif found is not None and following is not None:
            found["status"] = following
