"""Files of requests that are stored in containers."""

from __future__ import annotations

from typing import Any, cast

import pytest

from calor.clouds.errors import Transient
from calor.clouds.services import Services
from calor.service import file_containers
from calor.service.errors import ServiceError
from calor.service.file_containers import read_files


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
        self.grown = b""
        """What every object has more than is listed."""

    def has(self, service: str) -> bool:
        return self._there

    def send(
        self,
        service: str,
        method: str,
        *path: str,
        params: dict[str, str] | None,
        headers: dict[str, str] | None,
    ) -> Answer:
        if self._fails:
            raise Transient("It is busy.", status=503)
        if params is None:
            self.read.append("/".join(path[1:]))
            assert headers is not None
            last = int(headers["Range"].removeprefix("bytes=0-"))
            return Answer((self._files[self.read[-1]] + self.grown)[: last + 1])
        after = sorted(name for name in self._files if name > params.get("marker", ""))
        page = after[: int(params["limit"])]
        return Answer([{"name": name, "bytes": len(self._files[name])} for name in page])


def kept(store: Store, *but: str, most: int = 1000) -> dict[str, str]:
    return read_files(cast(Services, store), "box", but, most)


def test_all_pages_of_a_container_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_containers, "PAGE", 2)
    files = {f"folder/{n}": f"text {n}".encode() for n in range(5)}

    assert kept(Store(files)) == {name: content.decode() for name, content in files.items()}


def test_an_object_that_grows_meanwhile_is_not_read_further() -> None:
    store = Store({"a": b"text", "empty": b""})
    store.grown = b"much more"

    assert kept(store) == {"a": "text", "empty": ""}


def test_a_container_of_very_many_objects_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_containers, "MOST_FILES", 3)

    with pytest.raises(ServiceError, match="more than 3 objects"):
        kept(Store({str(n): b"x" for n in range(4)}))


def test_what_came_along_with_the_request_is_not_read() -> None:
    store = Store({"a": b"1", "b": b"2"})

    assert kept(store, "a") == {"b": "2"}
    assert store.read == ["b"]


def test_nothing_is_read_if_it_is_too_much() -> None:
    store = Store({"a": b"x" * 600, "b": b"x" * 600})

    with pytest.raises(ServiceError, match="1200 bytes in total; at most 1000 are allowed") as caught:
        kept(store)

    assert caught.value.kind == "RequestLimitExceeded"
    assert store.read == []


@pytest.mark.parametrize(("container", "file"), [("..", "a"), (".", "a"), ("box", "../other/a")])
def test_names_that_would_lead_elsewhere_are_not_followed(container: str, file: str) -> None:
    store = Store({file: b"text"})

    with pytest.raises(ServiceError, match="could not be found"):
        read_files(cast(Services, store), container, (), 1000)

    assert store.read == []


@pytest.mark.parametrize(
    ("store", "kind", "reported"),
    [
        (Store({}, there=False), "HTTPBadRequest", "no object store"),
        (Store({}, fails=True), "HTTPServiceUnavailable", "at present: It is busy."),
    ],
)
def test_a_store_that_cannot_be_read(store: Store, kind: str, reported: str) -> None:
    with pytest.raises(ServiceError, match=reported) as caught:
        kept(store)

    assert caught.value.kind == kind
