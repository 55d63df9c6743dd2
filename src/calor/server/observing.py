"""Logs, metrics and traces of a server process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from calor.observe import logs, tracing
from calor.observe.exposing import MetricsSocket
from calor.observe.memory import start_trimming
from calor.server.settings import Settings


@contextmanager
def instrumented(settings: Settings, program: str) -> Iterator[MetricsSocket]:
    """Sets up logs, traces and metrics for the whole life of a process."""
    metrics = MetricsSocket(settings.state_dir / "metrics", program, settings.configured.metrics_address)
    logs.name_process(metrics.name)
    tracing.start(metrics.name, settings.configured.otlp_endpoint)
    start_trimming()
    try:
        yield metrics
    finally:
        tracing.finish()
        metrics.close()
