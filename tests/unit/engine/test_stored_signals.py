"""Signals in the object store."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from calor.clouds.errors import NotFound, Permanent
from calor.engine.view import stored_signals
from calor.resources.outcomes import ResourceFailed
from calor.testing import FakeCloud, FakeContext, Request, run

MOST = 1_000
NAME = FakeContext().physical_name()
BOX = FakeContext.stack_id
VERSION = f"/{BOX}/{len(NAME):03x}{NAME}"


class SignalStore(FakeCloud):
    """The container of a stack: the last element is the latest signal, those before are its versions."""

    def __init__(self) -> None:
        super().__init__()
        self.signals: list[tuple[str, bytes]] = []
        self.responses |= {
            f"PUT /{BOX}": {},
            f"GET /{BOX}": self._list,
            f"GET /{BOX}/{NAME}": self._latest,
        }

    def arrive(self, moment: str, content: Any) -> None:
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        for earlier, kept in self.signals:
            self.responses[f"GET {VERSION}/{earlier}"] = SimpleNamespace(
                content=kept, headers={"X-Timestamp": earlier}
            )
        self.signals.append((moment, body))

    def _list(self, request: Request) -> Any:
        found = [{"name": f"{VERSION.removeprefix(f'/{BOX}/')}/{moment}"} for moment, _ in self.signals[:-1]]
        assert all(one["name"].startswith(request.params["prefix"]) for one in found)
        return SimpleNamespace(json=lambda: found)

    def _latest(self, request: Request) -> Any:
        if not self.signals:
            raise NotFound("Not Found", status=404)
        moment, body = self.signals[-1]
        return SimpleNamespace(content=body, headers={"X-Timestamp": moment})


def resource() -> Any:
    context = FakeContext(services=SignalStore())
    run(stored_signals.url_for_signals(context, many=True))
    return context


def test_a_url_is_for_an_object_of_the_resource_in_a_container_of_the_stack() -> None:
    context = FakeContext(services=SignalStore())

    url = run(stored_signals.url_for_signals(context, many=True))

    assert url == f"http://object/{BOX}/{NAME}?temp_url_sig=PUT"
    [request] = context.services.requests
    assert (request.line, request.headers) == (f"PUT /{BOX}", {"X-Versions-Location": BOX})


def test_a_single_signal_needs_no_versions() -> None:
    context = FakeContext(services=SignalStore())

    run(stored_signals.url_for_signals(context, many=False))

    assert context.services.requests[0].headers == {}


def test_a_missing_object_store_is_reported() -> None:
    context = FakeContext(services=FakeCloud(missing=frozenset({"object"})))

    with pytest.raises(ResourceFailed, match="no object store"):
        run(stored_signals.url_for_signals(context, many=False))


def test_each_signal_is_given_once_in_the_order_in_which_they_came() -> None:
    context = resource()
    assert run(stored_signals.collect(context, MOST)) == []

    context.services.arrive("1700000000.00001", {"id": 1})
    assert run(stored_signals.collect(context, MOST)) == [{"id": 1}]
    assert run(stored_signals.collect(context, MOST)) == []

    context.services.arrive("1700000000.00002", {"id": 2})
    context.services.arrive("1700000000.00003", b"")
    assert run(stored_signals.collect(context, MOST)) == [{"id": 2}, {}]


def test_a_signal_that_is_not_a_map_fails_the_resource() -> None:
    context = resource()
    context.services.arrive("1700000000.00001", b"hello")

    with pytest.raises(ResourceFailed, match="JSON"):
        run(stored_signals.collect(context, MOST))


def test_signals_that_are_too_large_fail_the_resource() -> None:
    context = resource()
    context.services.arrive("1700000000.00001", {"id": 1, "data": "x" * 600})
    context.services.arrive("1700000000.00002", {"id": 2, "data": "x" * 600})

    with pytest.raises(ResourceFailed, match="too large"):
        run(stored_signals.collect(context, MOST))
    ranges = [(request.headers or {}).get("Range") for request in context.services.requests]
    # No more is read than there is room for, and one byte to see that there is more.
    assert [one for one in ranges if one] == ["bytes=0-1000", "bytes=0-379"]


def test_a_signal_without_a_body_has_no_first_byte() -> None:
    context = resource()
    context.services.responses[f"GET /{BOX}/{NAME}"] = Permanent("Range Not Satisfiable", status=416)
    context.services.responses[f"HEAD /{BOX}/{NAME}"] = SimpleNamespace(
        headers={"X-Timestamp": "1700000000.00001"}
    )

    assert run(stored_signals.collect(context, MOST)) == [{}]


def test_a_resource_without_a_url_has_no_signals_and_leaves_nothing() -> None:
    context = FakeContext(services=SignalStore())

    assert run(stored_signals.collect(context, MOST)) == []
    run(stored_signals.remove(context))
    assert context.services.requests == []


def test_signals_are_deleted_with_the_resource() -> None:
    context = resource()
    context.services.arrive("1700000000.00001", {"id": 1})
    context.services.arrive("1700000000.00002", {"id": 2})
    context.services.responses[f"DELETE {VERSION}/1700000000.00001"] = {}
    context.services.responses[f"DELETE /{BOX}/{NAME}"] = [{}, NotFound("Not Found", status=404)]
    context.services.responses[f"DELETE /{BOX}"] = {}

    run(stored_signals.remove(context))

    assert context.services.lines(without=("GET", "PUT")) == [
        f"DELETE {VERSION}/1700000000.00001",
        f"DELETE /{BOX}/{NAME}",
        f"DELETE /{BOX}/{NAME}",
        f"DELETE /{BOX}",
    ]
