"""What reads: stacks and all that belongs to them, as the APIs show them. Nothing here changes anything."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from sqlalchemy import Engine

from calor.language.library import World
from calor.service.queries.deployments import Deployments
from calor.service.queries.events import Events
from calor.service.queries.meanings import Meanings
from calor.service.queries.resources import Resources
from calor.service.queries.services import Services
from calor.service.queries.snapshots import Snapshots
from calor.service.queries.stacks import Stacks
from calor.service.queries.types import Types
from calor.service.queries.validation import Validation
from calor.store.database import reading


class Queries:
    """The reading use cases, by subject."""

    def __init__(
        self,
        database: Engine,
        world: World,
        *,
        hidden_tags: tuple[str, ...] = (),
        max_resources: int | None = None,
        clock: Callable[[], float] = time.time,
        is_dead: Callable[[str], bool] = lambda engine: False,
    ) -> None:
        """`is_dead` tells of an engine whether its process is known to have ended."""
        source = reading(database)
        self.stacks = Stacks(source, hidden_tags)
        # What was accepted once is not held against the cloud again for being looked at.
        self.meanings = Meanings(source, replace(world, custom=_unchecked))
        self.resources = Resources(source, self.meanings, world)
        self.events = Events(source, world.max_depth)
        self.snapshots = Snapshots(source, self.meanings, world)
        self.deployments = Deployments(source)
        self.services = Services(source, clock, is_dead)
        self.types = Types(world)
        self.validation = Validation(replace(world, max_resources=max_resources))


def _unchecked(name: str, value: object) -> str | None:
    return None
