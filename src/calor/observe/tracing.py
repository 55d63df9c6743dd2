"""OpenTelemetry spans, if tracing is configured. Otherwise, spans cost nothing."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
# Objects of the optional package opentelemetry.
Span = Any
SpanContext = Any
Provider = Any

_NO_SPAN: AbstractContextManager[Span] = nullcontext()

_provider: Provider = None
_tracer = _provider


class TracingMissing(Exception):
    """Tracing is configured, but OpenTelemetry is not installed."""


def is_wanted(endpoint: str | None) -> bool:
    if os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return False
    return bool(endpoint) or any(os.environ.get(name) for name in _ENDPOINTS)


def check(endpoint: str | None) -> None:
    """Raises TracingMissing if tracing is configured and OpenTelemetry is not installed."""
    if not is_wanted(endpoint):
        return
    try:
        import opentelemetry.exporter.otlp.proto.http
        import opentelemetry.sdk.trace  # noqa: F401
    except ImportError as error:
        raise TracingMissing(
            f"tracing is configured, but {error.name} is not installed: run pip install 'calor[otel]'"
        ) from None


def start(process: str, endpoint: str | None) -> None:
    """Starts sending spans, if tracing is configured. Call it after forking: it starts a thread."""
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


def use(provider: Provider) -> None:
    """Sets OpenTelemetry's tracer provider; None disables tracing."""
    global _tracer, _provider
    _provider = provider
    _tracer = provider.get_tracer("calor") if provider is not None else None


def finish() -> None:
    """Sends the remaining spans and disables tracing."""
    if _provider is not None:
        _provider.shutdown()
        use(None)


def is_on() -> bool:
    return _tracer is not None


def span(
    name: str, *, kind: str = "INTERNAL", parent: str | None = None, **attributes: object
) -> AbstractContextManager[Span]:
    """Yields a span, the parent of those started within, or None without tracing. `parent` is a traceparent from
    another process."""
    if _tracer is None:
        return _NO_SPAN
    from opentelemetry.trace import SpanKind

    started: AbstractContextManager[Span] = _tracer.start_as_current_span(
        name,
        context=_context_of(parent),
        kind=SpanKind[kind],
        attributes=_attributes(attributes),
        # Messages of exceptions may contain hidden values.
        record_exception=False,
        set_status_on_exception=False,
    )
    return started


def start_span(name: str, parent: SpanContext, **attributes: object) -> Span:
    """Starts a span in a context from `current_context`; end it with `end_span`. Tasks started from now on are its
    children, until another span is started."""
    from opentelemetry import context, trace

    started = _tracer.start_span(name, context=parent, attributes=_attributes(attributes))
    context.attach(trace.set_span_in_context(started))
    return started


def end_span(span: Span, problem: str | None = None) -> None:
    if problem is not None:
        mark_failed(span, problem)
    span.end()


def mark_failed(span: Span, problem: str) -> None:
    if span is not None:
        from opentelemetry.trace import Status, StatusCode

        span.set_status(Status(StatusCode.ERROR, problem))


def current_context() -> SpanContext:
    """The context of the current span, for `start_span`; None without tracing."""
    if _tracer is None:
        return None
    from opentelemetry import context

    return context.get_current()


def restore_context(previous: SpanContext) -> None:
    """Leaves the spans that were started since `current_context`."""
    if previous is not None:
        from opentelemetry import context

        context.attach(previous)


def traceparent() -> str | None:
    """The current span as a traceparent header, for other processes."""
    if _tracer is None:
        return None
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    carrier: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(carrier)
    return carrier.get("traceparent")


def _context_of(parent: str | None) -> SpanContext:
    if not parent:
        return None
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    return TraceContextTextMapPropagator().extract({"traceparent": parent})


def _attributes(attributes: Mapping[str, object]) -> dict[str, object]:
    """Keyword arguments cannot have dots: `http_route` is `http.route`."""
    return {name.replace("_", "."): value for name, value in attributes.items() if value is not None}
