"""What the agent on a server is given: the metadata of the server's resource, with the configurations that it has to
apply. An agent that asks nobody reads it in the object store, where it is put whenever it changes."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, select

from calor.clouds.errors import Conflict, NotFound
from calor.engine.ids import new_id
from calor.store import records, tables
from calor.types.behaviour import ResourceFailed

if TYPE_CHECKING:
    from calor.engine.context import Context

PLACE = "_metadata_at"
"""Where a server keeps the container and the object at which its agent reads."""
DEPLOYMENTS = "deployments"


@dataclass(frozen=True, slots=True)
class Notice:
    """What is to be put into the object store, and where."""

    container: str
    object: str
    document: dict[str, Any]
    credentials: str | None
    """Those of the server's stack."""


def deployed(config: records.SoftwareConfig) -> dict[str, Any]:
    """A configuration as servers get it."""
    made = datetime.fromtimestamp(config.created_at, UTC)
    return {
        "id": config.id,
        "name": config.name,
        "group": config.group,
        "config": config.config.get("config"),
        "inputs": config.config.get("inputs") or [],
        "outputs": config.config.get("outputs") or [],
        "options": config.config.get("options") or {},
        "creation_time": made.strftime("%Y-%m-%dT%H:%M:%SZ"),
    }


def notices(connection: Connection, server: str, project: str) -> list[Notice]:
    """What has to be told to the agent of a project's server that reads in the object store."""
    resources = (
        select(tables.resource, tables.stack.c.credentials)
        .join(tables.stack, tables.stack.c.id == tables.resource.c.stack)
        .where(tables.resource.c.physical_id == server, tables.stack.c.project == project)
    )
    found = [(records.Resource(*row[:-1]), row.credentials) for row in connection.execute(resources)]
    places = [(row, row.data[PLACE], used) for row, used in found if row.data and row.data.get(PLACE)]
    if not places:
        return []
    configs = deployments_of(connection, server, project)
    return [
        Notice(container, name, {**(row.metadata or {}), DEPLOYMENTS: configs}, credentials)
        for row, (container, name), credentials in places
    ]


def deployments_of(connection: Connection, server: str, project: str) -> list[dict[str, Any]]:
    """What a server has to apply, by name; only what its own project wants: anybody may name any server."""
    config, deployment = tables.software_config, tables.software_deployment
    query = (
        select(config)
        .join(deployment, deployment.c.config == config.c.id)
        .where(deployment.c.server == server, deployment.c.project == project, config.c.project == project)
        .order_by(config.c.name, config.c.created_at)
    )
    return [deployed(records.record(records.SoftwareConfig, row)) for row in connection.execute(query)]


async def place(ctx: Context, container: str | None, name: str | None) -> str:
    """A URL at which the metadata can be read once it is put there."""
    cloud = await ctx.cloud()
    if not await cloud.has("object"):
        raise ResourceFailed("the cloud has no object store", "NotFound")
    known = ctx.data.get(PLACE) or (None, None)
    where = [container or known[0] or ctx.physical_name(), name or known[1] or new_id()]
    if known[0] and where != list(known):
        await remove(ctx)
    ctx.note(**{PLACE: where})
    await ctx.intend()
    await cloud.send("object", "PUT", where[0])
    return await cloud.temporary_url("GET", *where)


async def remove(ctx: Context) -> None:
    """Deletes the object, and the container if nothing else is in it. What is gone is fine."""
    if not ctx.data.get(PLACE):
        return
    container, name = ctx.data[PLACE]
    cloud = await ctx.cloud()
    with suppress(NotFound):
        await cloud.send("object", "DELETE", container, name)
    with suppress(NotFound, Conflict):
        await cloud.send("object", "DELETE", container)
