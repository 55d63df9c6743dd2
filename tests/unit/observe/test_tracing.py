"""Spans from an API request to requests to services."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from calor.clouds.errors import NotFound
from calor.clouds.request_metrics import measured
from calor.engine.run.telemetry import Telemetry, running
from calor.observe import fields, tracing
from calor.stacks.states import ResourceState
from calor.store import records


@pytest.fixture
def spans() -> Iterator[Any]:
    pytest.importorskip("opentelemetry.sdk")
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracing.use(provider)
    yield exporter
    tracing.finish()


def _stack(**run: Any) -> records.Stack:
    values: dict[str, Any] = dict.fromkeys(records.Stack.__dataclass_fields__)
    values.update(id="1", name="web", project="p", action="CREATE", status="IN_PROGRESS", run=run)
    values.update(definition="d", created_at=time.time(), username="demo")
    return records.Stack(**values)


def _state(status: str) -> ResourceState:
    return ResourceState(
        id="r1",
        stack="1",
        name="server",
        type_name="OS::Nova::Server",
        created_at=0.0,
        action="CREATE",
        status=status,
    )


def test_a_call_to_a_service_is_below_the_step_the_run_and_the_request(spans: Any) -> None:
    with tracing.span("POST /stacks", kind="SERVER"), fields.scope(request_id="req-1"):
        origin = fields.origin()
    stack = _stack(origin=origin)
    telemetry = Telemetry(lambda name: True)
    with running(stack, "engine"), telemetry.stack_scope(stack):
        telemetry.step(stack, _state("IN_PROGRESS"), 1.0)
        with measured("compute", "POST") as headers:
            pass
        telemetry.step(stack, _state("COMPLETE"), 2.0)

    found = {span.name: span for span in spans.get_finished_spans()}
    assert list(found) == ["POST /stacks", "compute POST", "CREATE OS::Nova::Server", "run CREATE"]
    way = ["POST /stacks", "run CREATE", "CREATE OS::Nova::Server", "compute POST"]
    for above, below in pairwise(way):
        assert found[below].parent.span_id == found[above].context.span_id
    assert len({span.context.trace_id for span in found.values()}) == 1
    assert found["CREATE OS::Nova::Server"].attributes["calor.resource"] == "server"
    assert headers["X-OpenStack-Request-ID"] == "req-1"
    assert format(found["compute POST"].context.span_id, "016x") in headers["traceparent"]


def test_what_fails_is_marked(spans: Any) -> None:
    with pytest.raises(NotFound), measured("compute", "GET"):
        raise NotFound("no such server")

    [span] = spans.get_finished_spans()
    assert (span.status.status_code.name, span.status.description) == ("ERROR", "NotFound")
    assert not span.events, "what exceptions say may hold hidden values"


def test_without_tracing_there_are_no_spans_and_nothing_is_carried() -> None:
    with tracing.span("anything") as span:
        assert span is None
        assert tracing.traceparent() is None
    assert tracing.current_context() is None


def test_opentelemetry_is_not_even_imported_unless_wanted() -> None:
    code = "import sys, calor.server.programs; print('opentelemetry' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "False\n"


def test_missing_tracing_packages_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("opentelemetry", "opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http"):
        monkeypatch.setitem(sys.modules, name, None)

    with pytest.raises(tracing.TracingMissing, match=r"calor\[otel\]"):
        tracing.check("http://collector:4318")
    tracing.check(None)


@pytest.mark.parametrize(
    ("environment", "wanted"),
    [
        ({}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}, True),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318", "OTEL_SDK_DISABLED": "true"}, False),
    ],
)
def test_the_variables_of_opentelemetry_count(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], wanted: bool
) -> None:
    for name in ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_SDK_DISABLED"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    assert tracing.is_wanted(None) is wanted
