"""What the processes of a server tell of themselves."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from calor.observe import logs, tracing
from calor.observe.exposing import Exposed
from calor.observe.memory import give_back_memory
from calor.server.settings import Settings


@contextmanager
def observed(settings: Settings, program: str) -> Iterator[Exposed]:
    """Around all that a process does. Gives its figures, and those of the others."""
    exposed = Exposed(settings.state_dir / "metrics", program, settings.configured.metrics_address)
    logs.name_process(exposed.name)
    tracing.start(exposed.name, settings.configured.otlp_endpoint)
    give_back_memory()
    try:
        yield exposed
    finally:
        tracing.finish()
        exposed.close()
