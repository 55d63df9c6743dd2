"""Software configurations and their deployments to servers."""

from __future__ import annotations

from sqlalchemy import ColumnElement, Connection, Engine, and_, exists, false, or_, select

from calor.lifecycle import Status
from calor.service.caller import Caller
from calor.service.errors import NotFound
from calor.service.queries.access import may_read_deployments
from calor.service.queries.paging import WHOLE, Page, behind, ordered
from calor.store import records, tables

_configs = tables.software_config
_deployments = tables.software_deployment


class Deployments:
    def __init__(self, source: Engine) -> None:
        self._source = source

    def configs(
        self, caller: Caller, page: Page = WHOLE, *, all_projects: bool = False
    ) -> list[records.SoftwareConfig]:
        """Newest first."""
        keys: list[ColumnElement[object]] = [_configs.c.created_at, _configs.c.id]
        query = select(_configs)
        if not all_projects:
            query = query.where(_configs.c.project == caller.project)
        with self._source.connect() as connection:
            if page.marker is not None:
                at = select(*keys).where(_configs.c.id == page.marker, _configs.c.project == caller.project)
                found = connection.execute(at).one_or_none()
                if found is not None:
                    query = query.where(behind(keys, found, True))
            rows = connection.execute(ordered(query, keys, True, page.limit))
            return [records.record(records.SoftwareConfig, row) for row in rows]

    def config(self, caller: Caller, id: str) -> records.SoftwareConfig:
        """Raises NotFound."""
        query = select(_configs).where(_configs.c.id == id)
        if not caller.is_admin:
            query = query.where(_configs.c.project == caller.project)
        with self._source.connect() as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            raise NotFound("Software config", id)
        return records.record(records.SoftwareConfig, row)

    def of_project(self, caller: Caller, server: str | None = None) -> list[records.SoftwareDeployment]:
        query = select(_deployments).where(_deployments.c.project == caller.project)
        if server is not None:
            query = query.where(_deployments.c.server == server)
        with self._source.connect() as connection:
            rows = connection.execute(query.order_by(_deployments.c.created_at, _deployments.c.id))
            return [records.record(records.SoftwareDeployment, row) for row in rows]

    def get(self, caller: Caller, id: str) -> records.SoftwareDeployment:
        """Raises NotFound."""
        query = select(_deployments).where(_deployments.c.id == id)
        if not caller.is_admin:
            query = query.where(_reaches(caller))
        with self._source.connect() as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            raise NotFound("Deployment", id)
        return records.record(records.SoftwareDeployment, row)

    def of_server(self, caller: Caller, server: str) -> list[records.SoftwareConfig]:
        """The configurations of a server's deployments, by name. Users of stacks can read those of their own server."""
        query = (
            select(_configs)
            .join(_deployments, _deployments.c.config == _configs.c.id)
            .where(_deployments.c.server == server, _configs.c.project == _deployments.c.project)
            .order_by(_configs.c.name, _configs.c.created_at)
        )
        with self._source.connect() as connection:
            rows = connection.execute(query.where(_readable(connection, caller, server)))
            return [records.record(records.SoftwareConfig, row) for row in rows]

    def unfetched(self, caller: Caller, server: str) -> list[records.SoftwareDeployment]:
        """The deployments in progress that no agent of the server has read before."""
        query = select(_deployments).where(
            _deployments.c.server == server,
            _deployments.c.status == Status.IN_PROGRESS,
            _deployments.c.fetched_at.is_(None),
        )
        with self._source.connect() as connection:
            rows = connection.execute(query.where(_readable(connection, caller, server)))
            return [records.record(records.SoftwareDeployment, row) for row in rows]


def _readable(connection: Connection, caller: Caller, server: str) -> ColumnElement[bool]:
    """Selects the deployments of a server that a caller may read."""
    if caller.is_stack_user and may_read_deployments(connection, caller, server):
        return _reaches(caller)
    return false() if caller.is_only_stack_user else _deployments.c.project == caller.project


def _reaches(caller: Caller) -> ColumnElement[bool]:
    """Servers read their deployments as users of their stack's own project. Deployments of other projects to the same
    server are excluded."""
    stack = tables.stack
    own = exists().where(stack.c.project == _deployments.c.project, stack.c.user_project == caller.project)
    read = and_(_deployments.c.stack_user_project == caller.project, own)
    return or_(_deployments.c.project == caller.project, read)
