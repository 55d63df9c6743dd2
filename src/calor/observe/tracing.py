"""Spans by OpenTelemetry, if that is installed and wanted. Without it a span is nothing, and costs as much."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_NOTHING: AbstractContextManager[Any] = nullcontext()

_tracer: Any = None
_provider: Any = None


class TracingMissing(Exception):
    """Traces are wanted, and OpenTelemetry is not installed."""


def is_wanted(endpoint: str | None) -> bool:
    if os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return False
    return bool(endpoint) or any(os.environ.get(name) for name in _ENDPOINTS)


def check(endpoint: str | None) -> None:
    """Raises TracingMissing if traces are wanted and cannot be made."""
    if not is_wanted(endpoint):
        return
    try:
        import opentelemetry.exporter.otlp.proto.http
        import opentelemetry.sdk.trace  # noqa: F401
    except ImportError as error:
        raise TracingMissing(
            f"traces are configured, and {error.name} is not installed; pip install 'calor[otel]' brings it"
        ) from None


def start(process: str, endpoint: str | None) -> None:
    """Begins to send spans of this process, if that is wanted. To be called after a fork: a thread sends them."""
    if not is_wanted(endpoint):
        return
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    name = os.environ.get("OTEL_SERVICE_NAME", "calor")
    provider = TracerProvider(resource=Resource.create({"service.name": name, "calor.process": process}))
    exporter = OTLPSpanExporter(f"{endpoint.rstrip('/')}/v1/traces" if endpoint else None)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    use(provider)


def use(provider: Any) -> None:
    """Makes spans by a provider of OpenTelemetry's SDK from now on; None ends that."""
    global _tracer, _provider
    _provider = provider
    _tracer = provider.get_tracer("calor") if provider is not None else None


def finish() -> None:
    """Sends what has not been sent yet."""
    if _provider is not None:
        _provider.shutdown()
        use(None)


def is_on() -> bool:
    return _tracer is not None


def span(
    name: str, *, kind: str = "INTERNAL", parent: str | None = None, **attributes: Any
) -> AbstractContextManager[Any]:
    """A span around a piece of work; what runs in it is its child. `parent` is a traceparent that came from
    elsewhere. Gives the span, or None if there is none."""
    if _tracer is None:
        return _NOTHING
    from opentelemetry.trace import SpanKind

    found: AbstractContextManager[Any] = _tracer.start_as_current_span(
        name,
        context=_context_of(parent),
        kind=SpanKind[kind],
        attributes=_known(attributes),
        # What exceptions say may hold hidden values.
        record_exception=False,
        set_status_on_exception=False,
    )
    return found


def begin(name: str, above: Any, **attributes: Any) -> Any:
    """A span that somebody else ends, under the context that `here` has told. Tasks started from now on are its
    children, until another one begins."""
    from opentelemetry import context, trace

    begun = _tracer.start_span(name, context=above, attributes=_known(attributes))
    context.attach(trace.set_span_in_context(begun))
    return begun


def end(begun: Any, problem: str | None = None) -> None:
    if problem is not None:
        mark_failed(begun, problem)
    begun.end()


def mark_failed(found: Any, problem: str) -> None:
    if found is not None:
        from opentelemetry.trace import Status, StatusCode

        found.set_status(Status(StatusCode.ERROR, problem))


def here() -> Any:
    """Where spans are at present, for `begin`; None without tracing."""
    if _tracer is None:
        return None
    from opentelemetry import context

    return context.get_current()


def back_to(above: Any) -> None:
    """Leaves the spans that were begun since `here`."""
    if above is not None:
        from opentelemetry import context

        context.attach(above)


def carried() -> str | None:
    """The present span as a traceparent, for those who go on elsewhere."""
    if _tracer is None:
        return None
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    carrier: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(carrier)
    return carrier.get("traceparent")


def _context_of(parent: str | None) -> Any:
    if not parent:
        return None
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    return TraceContextTextMapPropagator().extract({"traceparent": parent})


def _known(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Keyword arguments cannot have dots: `http_route` is `http.route`."""
    return {name.replace("_", "."): value for name, value in attributes.items() if value is not None}
