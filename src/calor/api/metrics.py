"""All metrics for Prometheus: those of the processes, and those from the database."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator

from calor import __version__
from calor.observe import series
from calor.service.queries.services import Services
from calor.store.errors import DatabaseError

log = logging.getLogger(__name__)


def exposition(services: Services, of_processes: Callable[[], str]) -> str:
    """The metrics as text. If the database does not respond, its metrics are left out."""
    parts = [series.INFO.text_of([((__version__,), 1)]), of_processes()]
    try:
        parts.extend(_stored(services))
    except DatabaseError:
        log.exception("the metrics in the database cannot be read")
    return "".join(parts)


def _stored(services: Services) -> Iterator[str]:
    yield series.STACKS.text_of(sorted(services.stacks_by_state().items()))
    backlog = services.backlog()
    yield series.STACKS_WAITING.text_of([((), backlog.stacks)])
    yield series.INBOX.text_of([((), backlog.signals)])
    yield series.ENGINES.text_of([((), sum(one.is_up for one in services.all()))])
