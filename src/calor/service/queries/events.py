"""Events of stacks: in pages, or since an event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import ColumnElement, Engine, Select, null, select

from calor.service.errors import NotFound
from calor.service.queries.paging import WHOLE, Page, behind, ordered
from calor.service.queries.trees import StackPlace, tree
from calor.store import records, tables

table = tables.event

# Properties can be large, and are only shown with single events.
_PLAIN = [column if column.name != "properties" else null().label("properties") for column in table.c]
_SORTABLE: dict[str, ColumnElement[object]] = {"type": table.c.type}
"""The sort keys other than time: events are numbered in the order of their times."""


@dataclass(frozen=True, slots=True)
class EventFilter:
    """Which events to list. `equal` maps the names of columns to allowed values."""

    equal: Mapping[str, Sequence[str]] = field(default_factory=dict)


EVERYTHING = EventFilter()


@dataclass(frozen=True, slots=True)
class ShownEvent:
    event: records.Event
    place: StackPlace
    """The stack of the event."""


@dataclass(frozen=True, slots=True)
class News:
    """The new events of a stack, and whether an action is in progress."""

    events: Sequence[ShownEvent]
    number: int
    """The number of the last event that was read, for the next request."""
    ended: bool
    """Whether no action is in progress and all events are included."""
    gone: bool
    """Whether the stack was deleted."""


class Events:
    def __init__(self, source: Engine, max_depth: int) -> None:
        self._source = source
        self._max_depth = max_depth

    def of(
        self,
        stack: records.Stack,
        wanted: EventFilter = EVERYTHING,
        page: Page = WHOLE,
        *,
        depth: int = 0,
    ) -> list[ShownEvent]:
        descending = page.descending if page.descending is not None else not page.sort_keys
        keys = [*(_SORTABLE[name] for name in page.sort_keys if name in _SORTABLE), table.c.seq]
        with self._source.connect() as connection:
            places = tree(connection, stack, min(depth, self._max_depth)).places
            query = _of(select(*_PLAIN), places)
            for column, values in wanted.equal.items():
                query = query.where(table.c[column].in_(values))
            if page.marker is not None:
                at = connection.execute(_of(select(*keys), places).where(table.c.id == page.marker))
                found = at.one_or_none()
                if found is not None:
                    query = query.where(behind(keys, found, descending))
            rows = connection.execute(ordered(query, keys, descending, page.limit)).all()
        return [ShownEvent(records.record(records.Event, row), places[row.stack]) for row in rows]

    def latest(
        self, place: StackPlace | None, project: str, limit: int, before: int | None = None
    ) -> list[ShownEvent]:
        """Events with their properties, the newest first: of one stack without its nested stacks, or of all stacks of a
        project that are not deleted. Only those with lower numbers than `before`."""
        own = tables.stack
        columns = [own.c[name] for name in records.columns(StackPlace)]
        living = own.c.project == project, own.c.deleted_at.is_(None)
        of_stacks = (
            table.c.stack.in_(select(own.c.id).where(*living)) if place is None else table.c.stack == place.id
        )
        numbers = select(table.c.seq).where(of_stacks).order_by(table.c.seq.desc()).limit(limit)
        if before is not None:
            numbers = numbers.where(table.c.seq < before)
        with self._source.connect() as connection:
            # In two steps: an index has the numbers, so that only few of the rows are read.
            chosen = connection.execute(numbers).scalars().all()
            rows = connection.execute(
                select(table).where(table.c.seq.in_(chosen)).order_by(table.c.seq.desc())
            ).all()
            found = [records.record(records.Event, row) for row in rows]
            if place is not None:
                return [ShownEvent(one, place) for one in found]
            stacks = select(*columns).where(own.c.id.in_({one.stack for one in found}))
            places = {row.id: StackPlace(*row) for row in connection.execute(stacks)}
        return [ShownEvent(one, places[one.stack]) for one in found]

    def show(self, stack: records.Stack, resource: str, id: str) -> records.Event:
        """Raises NotFound."""
        query = select(table).where(table.c.id == id, table.c.stack == stack.id, table.c.resource == resource)
        with self._source.connect() as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            raise NotFound("Event", id)
        return records.record(records.Event, row)

    def number(self, stack: records.Stack, id: str) -> int | None:
        """The number of an event in a tree of stacks."""
        query = select(table.c.seq).where(table.c.id == id, table.c.root == stack.root)
        with self._source.connect() as connection:
            found: int | None = connection.execute(query).scalar()
        return found

    def since(self, stack: records.Stack, number: int, limit: int = 500) -> News:
        """The events of a stack and its nested stacks after the one with this number, oldest first."""
        with self._source.connect() as connection:
            # The state is read before the events, so that these include all that were written before the action ended.
            state = connection.execute(
                select(tables.stack.c.status, tables.stack.c.deleted_at).where(tables.stack.c.id == stack.id)
            ).one_or_none()
            query = select(*_PLAIN).where(table.c.root == stack.root, table.c.seq > number)
            rows = connection.execute(query.order_by(table.c.seq).limit(limit)).all()
            places = tree(connection, stack, self._max_depth, gone=True).places if rows else {}
        found = [records.record(records.Event, row) for row in rows]
        ended = (state is None or state.status != "IN_PROGRESS") and len(rows) < limit
        return News(
            events=[ShownEvent(one, places[one.stack]) for one in found if one.stack in places],
            number=found[-1].seq if found else number,
            ended=ended,
            gone=ended and (state is None or state.deleted_at is not None),
        )


def _of(query: Select[object], places: Mapping[str, StackPlace]) -> Select[object]:
    return query.where(table.c.stack.in_(places))
