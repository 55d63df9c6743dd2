"""All figures, for Prometheus: those of the processes, and those that the database tells."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator

from sqlalchemy.exc import SQLAlchemyError

from calor import __version__
from calor.observe import series
from calor.service.queries.services import Services

log = logging.getLogger(__name__)


def exposition(services: Services, of_processes: Callable[[], str]) -> str:
    """The text. What the database does not tell is left out: the rest is wanted all the more."""
    parts = [series.INFO.told([((__version__,), 1)]), of_processes()]
    try:
        parts.extend(_stored(services))
    except SQLAlchemyError:
        log.exception("the database does not tell its figures")
    return "".join(parts)


def _stored(services: Services) -> Iterator[str]:
    yield series.STACKS.told(sorted(services.stacks_by_state().items()))
    backlog = services.backlog()
    yield series.STACKS_WAITING.told([((), backlog.stacks)])
    yield series.INBOX.told([((), backlog.signals)])
    yield series.ENGINES.told([((), sum(one.is_up for one in services.all()))])
