"""Registered engines, and incidents in which one died or hung."""

from __future__ import annotations

import time
from collections.abc import Collection

from sqlalchemy import Connection, Engine, func, insert, select, update
from sqlalchemy import delete as delete_from
from sqlalchemy.exc import IntegrityError

from calor.store import records
from calor.store.clock import now
from calor.store.tables import event, lease, service, suspicion


def sign_on(database: Engine, id: str, host: str, report_interval: int, silent: float) -> None:
    """Adds an engine, and removes those of the host that have not reported for `silent` seconds."""
    with database.begin() as connection:
        gone = now() - silent
        connection.execute(delete_from(service).where(service.c.host == host, service.c.updated_at < gone))
        connection.execute(
            insert(service).values(
                id=id,
                engine=id,
                host=host,
                hostname=host,
                binary="heat-engine",
                topic="engine",
                report_interval=report_interval,
                created_at=now(),
                updated_at=now(),
            )
        )


def report(database: Engine, id: str) -> None:
    with database.begin() as connection:
        connection.execute(update(service).where(service.c.id == id).values(updated_at=now()))


def sign_off(database: Engine, id: str) -> None:
    """Removes an engine with its leases."""
    with database.begin() as connection:
        connection.execute(delete_from(service).where(service.c.id == id))
        connection.execute(delete_from(lease).where(lease.c.owner == id))


def has_leases(database: Engine, id: str) -> bool:
    with database.begin() as connection:
        return connection.execute(select(lease.c.stack).where(lease.c.owner == id)).first() is not None


def note_incident(database: Engine, incident: str, stack: str, run_id: str) -> None:
    """Records that an engine died or hung while computing for an action on a stack, and the action's progress. Does
    nothing if the incident is recorded already."""
    last_event = select(func.max(event.c.seq)).where(event.c.root == stack)
    try:
        with database.begin() as connection:
            values = {
                "stack": stack,
                "run_id": run_id,
                "incident": incident,
                "progress": connection.execute(last_event).scalar() or 0,
                "at": time.time(),
            }
            connection.execute(insert(suspicion).values(values))
    except IntegrityError:
        pass


def all_engines(connection: Connection) -> list[records.Service]:
    """Oldest first."""
    rows = connection.execute(select(service).order_by(service.c.created_at))
    return [records.record(records.Service, row) for row in rows]


def delete(connection: Connection, ids: Collection[str]) -> int:
    """Removes engines; returns how many existed."""
    return connection.execute(service.delete().where(service.c.id.in_(ids))).rowcount
