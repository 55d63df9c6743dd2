"""Files of requests that are kept in containers."""

from __future__ import annotations

from typing import Any, cast

import pytest

from calor.clouds.errors import Transient
from calor.clouds.services import Services
from calor.service import file_containers
from calor.service.errors import ServiceError
from calor.service.file_containers import kept_files


class Answer:
    def __init__(self, content: Any) -> None:
        self.content = content

    def json(self) -> Any:
        return self.content


class Store:
    """An object store with one container."""

    def __init__(self, files: dict[str, bytes], *, there: bool = True, fails: bool = False) -> None:
        self._files = files
        self._there = there
        self._fails = fails
        self.read: list[str] = []

    def has(self, service: str) -> bool:
        return self._there

    def send(self, service: str, method: str, *path: str, params: dict[str, str] | None) -> Answer:
        if self._fails:
            raise Transient("It is busy.", status=503)
        if params is None:
            self.read.append("/".join(path[1:]))
            return Answer(self._files[self.read[-1]])
        after = sorted(name for name in self._files if name > params.get("marker", ""))
        page = after[: int(params["limit"])]
        return Answer([{"name": name, "bytes": len(self._files[name])} for name in page])


def kept(store: Store, *but: str, most: int = 1000) -> dict[str, str]:
    return kept_files(cast(Services, store), "box", but, most)


def test_all_pages_of_a_container_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_containers, "PAGE", 2)
    files = {f"folder/{n}": f"text {n}".encode() for n in range(5)}

    assert kept(Store(files)) == {name: content.decode() for name, content in files.items()}


def test_what_came_along_with_the_request_is_not_read() -> None:
    store = Store({"a": b"1", "b": b"2"})

    assert kept(store, "a") == {"b": "2"}
    assert store.read == ["b"]


def test_nothing_is_read_if_it_is_too_much() -> None:
    store = Store({"a": b"x" * 600, "b": b"x" * 600})

    with pytest.raises(ServiceError, match="1200 bytes together, of 1000 allowed") as caught:
        kept(store)

    assert caught.value.kind == "RequestLimitExceeded"
    assert store.read == []


@pytest.mark.parametrize(("container", "file"), [("..", "a"), (".", "a"), ("box", "../other/a")])
def test_names_that_would_lead_elsewhere_are_not_followed(container: str, file: str) -> None:
    store = Store({file: b"text"})

    with pytest.raises(ServiceError, match="could not be found"):
        kept_files(cast(Services, store), container, (), 1000)

    assert store.read == []


@pytest.mark.parametrize(
    ("store", "kind", "told"),
    [
        (Store({}, there=False), "HTTPBadRequest", "no object store"),
        (Store({}, fails=True), "HTTPServiceUnavailable", "at present: It is busy."),
    ],
)
def test_a_store_that_cannot_be_read(store: Store, kind: str, told: str) -> None:
    with pytest.raises(ServiceError, match=told) as caught:
        kept(store)

    assert caught.value.kind == kind
