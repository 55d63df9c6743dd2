"""Metrics and traces of requests to services."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from calor.clouds.errors import CloudError
from calor.observe import fields, tracing
from calor.observe.series import CLOUD_SECONDS


@contextmanager
def measured(service: str, method: str) -> Iterator[Mapping[str, str]]:
    """Measures a request. Yields headers with the request id and trace context."""
    began, outcome = time.perf_counter(), "ok"
    with tracing.span(f"{service} {method}", kind="CLIENT", http_request_method=method) as span:
        try:
            yield _headers()
        except CloudError as error:
            outcome = type(error).__name__
            tracing.mark_failed(span, outcome)
            raise
        finally:
            CLOUD_SECONDS.observe(time.perf_counter() - began, service, method, outcome)


def _headers() -> dict[str, str]:
    found = {
        "X-OpenStack-Request-ID": fields.current().get("request_id"),
        "traceparent": tracing.traceparent(),
    }
    return {name: value for name, value in found.items() if value}
