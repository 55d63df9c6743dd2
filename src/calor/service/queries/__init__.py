"""Read-only use cases: stacks and everything that belongs to them, as shown by the APIs."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from calor.language.library import World
from calor.service.queries.definitions import Definitions
from calor.service.queries.deployments import Deployments
from calor.service.queries.events import Events
from calor.service.queries.resources import Resources
from calor.service.queries.services import Services
from calor.service.queries.snapshots import Snapshots
from calor.service.queries.stacks import Stacks
from calor.service.queries.types import Types
from calor.service.queries.validation import Validation
from calor.store.database import Database, reading


class Queries:
    """The read-only use cases, by subject."""

    def __init__(
        self,
        database: Database,
        world: World,
        *,
        hidden_tags: tuple[str, ...] = (),
        max_resources: int | None = None,
        clock: Callable[[], float] = time.time,
        is_dead: Callable[[str], bool] = lambda engine: False,
    ) -> None:
        """`is_dead` returns whether the process of an engine is known to have ended."""
        source = reading(database)
        self.stacks = Stacks(source, hidden_tags)
        # What was accepted once is not checked against the cloud again.
        self.definitions = Definitions(source, replace(world, custom=_unchecked))
        self.resources = Resources(source, self.definitions, world)
        self.events = Events(source, world.max_depth)
        self.snapshots = Snapshots(source, self.definitions, world)
        self.deployments = Deployments(source)
        self.services = Services(source, clock, is_dead)
        self.types = Types(world)
        self.validation = Validation(replace(world, max_resources=max_resources))


def _unchecked(name: str, value: object) -> str | None:
    return None
