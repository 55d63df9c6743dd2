"""Metadata for the agent on a server, in the object store: the metadata of the server's resource, with its deployments,
updated whenever they change."""

from __future__ import annotations

from contextlib import suppress

from calor.clouds.errors import Conflict, NotFound
from calor.resources.context import Context
from calor.resources.outcomes import ResourceFailed
from calor.stacks.ids import new_id
from calor.stacks.software import METADATA_LOCATION


async def prepare_url(ctx: Context, container: str | None, name: str | None) -> str:
    """Creates the container; returns a temporary URL for the metadata, which is written later."""
    cloud = await ctx.cloud()
    if not await cloud.has("object"):
        raise ResourceFailed("the cloud has no object store", "NotFound")
    known = ctx.data.get(METADATA_LOCATION) or (None, None)
    where = [container or known[0] or ctx.physical_name(), name or known[1] or new_id()]
    if known[0] and where != list(known):
        await remove(ctx)
    ctx.set_data(**{METADATA_LOCATION: where})
    await ctx.flush()
    await cloud.send("object", "PUT", where[0])
    return await cloud.temporary_url("GET", *where)


async def remove(ctx: Context) -> None:
    """Deletes the object, and the container if it is empty."""
    if not ctx.data.get(METADATA_LOCATION):
        return
    container, name = ctx.data[METADATA_LOCATION]
    cloud = await ctx.cloud()
    with suppress(NotFound):
        await cloud.send("object", "DELETE", container, name)
    with suppress(NotFound, Conflict):
        await cloud.send("object", "DELETE", container)
