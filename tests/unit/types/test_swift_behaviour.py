"""OS::Swift::Container at work."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from calor.clouds.errors import Conflict, NotFound
from calor.resources.outcomes import ResourceFailed
from calor.testing import FakeCloud, FakeContext, Request, properties_of, run
from calor.types.swift.container import Container


class ObjectStore(FakeCloud):
    """One container that can be filled."""

    def __init__(self, *names: str) -> None:
        super().__init__()
        self.names = list(names)
        self.responses |= {
            "PUT /box": {},
            "POST /": {},
            "HEAD /box": self._head,
            "GET /box": lambda request: SimpleNamespace(json=lambda: [{"name": one} for one in self.names]),
            "DELETE /box": self._delete_container,
        }
        for name in names:
            self.responses[f"DELETE /box/{name}"] = self._delete

    def _head(self, request: Request) -> SimpleNamespace:
        headers = {"X-Container-Object-Count": str(len(self.names)), "X-Container-Bytes-Used": "7"}
        return SimpleNamespace(url="http://store:8080/v1/AUTH_p1/box", headers=headers)

    def _delete(self, request: Request) -> dict[str, Any]:
        self.names.remove(request.path.removeprefix("/box/"))
        return {}

    def _delete_container(self, request: Request) -> dict[str, Any]:
        if self.names:
            raise Conflict("There was a conflict", status=409)
        return {}


def made(store: ObjectStore, **given: Any) -> FakeContext:
    properties = properties_of(Container, name="box", **given)
    context = FakeContext(Container, properties, services=store)
    run(Container.create(context, properties))
    return context


def test_a_container_gets_its_headers() -> None:
    context = made(
        ObjectStore(),
        **{
            "X-Container-Read": ".r:*",
            "X-Container-Meta": {"Web-Index": "index.html"},
            "X-Account-Meta": {"Quota": 5},
        },
    )

    requests = {request.line: request.headers for request in context.services.requests}
    assert requests["PUT /box"] == {
        "X-Container-Read": ".r:*",
        "X-Container-Meta-Web-Index": "index.html",
    }
    assert requests["POST /"] == {"X-Account-Meta-Quota": "5"}
    assert context.physical_id == "box"


def test_attributes_tell_where_a_container_is_and_what_is_in_it() -> None:
    context = made(ObjectStore("a", "b"))

    names = ("DomainName", "WebsiteURL", "RootURL", "ObjectCount", "BytesUsed")
    assert [Container.attribute(context, name) for name in names] == [
        "store",
        "http://store:8080/v1/AUTH_p1/box",
        "http://store:8080/v1/AUTH_p1",
        2,
        7,
    ]
    assert Container.attribute(context, "HeadContainer")["x-container-bytes-used"] == "7"


def test_a_container_that_is_not_empty_stays() -> None:
    context = made(ObjectStore("a"))

    with pytest.raises(ResourceFailed, match="not empty"):
        run(Container.delete(context))


def test_a_container_is_purged_if_its_properties_request_it() -> None:
    context = made(ObjectStore("a", "b/c"), PurgeOnDelete=True)

    run(Container.delete(context))

    assert context.services.lines(without=("PUT", "HEAD", "GET")) == [
        "DELETE /box/a",
        "DELETE /box/b/c",
        "DELETE /box",
    ]


def test_a_container_that_is_gone_fails_its_check() -> None:
    context = made(ObjectStore())
    context.services.responses["HEAD /box"] = NotFound("Not Found", status=404)

    with pytest.raises(NotFound):
        run(Container.check(context))
    run(Container.delete(context))
