"""Rows of software configs and deployments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, Table, func, select

from calor.lifecycle import Status
from calor.store import records, sealing, tables
from calor.store.records import Document
from calor.store.statements import MAX_IDS
from calor.store.writer import Changes

_configs = tables.software_config
_deployments = tables.software_deployment


def add_config(changes: Changes, config: records.SoftwareConfig) -> None:
    changes.insert(_configs, **records.as_row(config))


def delete_config(changes: Changes, id: str) -> None:
    changes.delete(_configs, id)


def add_deployment(changes: Changes, deployment: records.SoftwareDeployment) -> None:
    changes.insert(_deployments, **records.as_row(deployment))


def update_deployment(changes: Changes, id: str, values: Mapping[str, object]) -> None:
    """Sets columns of a deployment."""
    changes.update(_deployments, id, **values)


def delete_deployment(changes: Changes, id: str) -> None:
    changes.delete(_deployments, id)


def has_config(connection: Connection, project: str, id: str) -> bool:
    return _has(connection, _configs, project, id)


def has_deployment(connection: Connection, project: str, id: str) -> bool:
    return _has(connection, _deployments, project, id)


def is_deployed(connection: Connection, config: str) -> bool:
    """Whether a deployment refers to a config."""
    query = select(_deployments.c.id).where(_deployments.c.config == config).limit(1)
    return connection.execute(query).first() is not None


def get_config(connection: Connection, project: str, id: str) -> Document | None:
    """The `config`, `inputs`, `outputs` and `options` of a config."""
    query = select(_configs.c.config).where(_configs.c.id == id, _configs.c.project == project)
    found: Document | None = connection.execute(query).scalar()
    return found


def count_configs(connection: Connection, project: str) -> int:
    return _count(connection, _configs, project)


def count_deployments(connection: Connection, project: str) -> int:
    return _count(connection, _deployments, project)


def configs_of_server(connection: Connection, project: str, server: str) -> list[records.SoftwareConfig]:
    """The configs that a project has deployed to a server, by name. Other projects may refer to the same server: their
    deployments are excluded."""
    query = (
        select(_configs)
        .join(_deployments, _deployments.c.config == _configs.c.id)
        .where(
            _deployments.c.server == server,
            _deployments.c.project == project,
            _configs.c.project == project,
        )
        .order_by(_configs.c.name, _configs.c.created_at)
    )
    return [records.record(records.SoftwareConfig, row) for row in connection.execute(query)]


def _has(connection: Connection, table: Table, project: str, id: str) -> bool:
    query = select(table.c.id).where(table.c.id == id, table.c.project == project)
    return connection.execute(query).first() is not None


def _count(connection: Connection, table: Table, project: str) -> int:
    return int(connection.execute(select(func.count()).where(table.c.project == project)).scalar_one())


def software_config(connection: Connection, id: str, project: str) -> records.SoftwareConfig | None:
    table = tables.software_config
    query = select(table).where(table.c.id == id, table.c.project == project)
    row = connection.execute(query).one_or_none()
    return None if row is None else records.record(records.SoftwareConfig, row)


def software_deployment(connection: Connection, id: str, project: str) -> records.SoftwareDeployment | None:
    table = tables.software_deployment
    query = select(table).where(table.c.id == id, table.c.project == project)
    row = connection.execute(query).one_or_none()
    return None if row is None else records.record(records.SoftwareDeployment, row)


def delete_configs(connection: Connection, project: str, ids: Sequence[str]) -> None:
    """Deletes those of the configs that belong to a project."""
    table = tables.software_config
    for start in range(0, len(ids), MAX_IDS):
        some = table.c.id.in_(ids[start : start + MAX_IDS])
        connection.execute(table.delete().where(some, table.c.project == project))


def set_fetched(connection: Connection, ids: Sequence[str], at: float) -> None:
    """Sets when deployments were fetched first."""
    for start in range(0, len(ids), MAX_IDS):
        some = _deployments.c.id.in_(ids[start : start + MAX_IDS])
        new = some & _deployments.c.fetched_at.is_(None)
        connection.execute(_deployments.update().where(new).values(fetched_at=at))


def set_progress(connection: Connection, id: str, config: str, progress: Document) -> None:
    """Sets the progress of a deployment, unless it has ended or has a new config."""
    [row] = sealing.protect(connection, _deployments, [{"progress": progress}], sealed=False)
    current = (_deployments.c.id == id) & (_deployments.c.config == config)
    unfinished = _deployments.c.status == Status.IN_PROGRESS
    connection.execute(_deployments.update().where(current & unfinished).values(row))
