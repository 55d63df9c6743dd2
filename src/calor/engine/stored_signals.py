"""Signals that wait in the object store until they are fetched: software puts them at a URL that only it knows.

All signals to a resource are one object in a container of the stack. Where there can be several, the store keeps the
earlier ones as versions of it, in the same container, under names that end with the moment of each.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from calor.clouds.errors import Conflict, NotFound
from calor.types.behaviour import ResourceFailed

if TYPE_CHECKING:
    from calor.engine.cloud_access import CloudAccess
    from calor.engine.context import Context

PLACE = "_signals_at"
"""Where a resource keeps the container and the object of its signals."""
TAKEN = "_signals_taken"
"""Where a resource keeps the moments of the signals that were fetched."""


async def url_for_signals(ctx: Context, *, many: bool) -> str:
    cloud = await ctx.cloud()
    if not await cloud.has("object"):
        raise ResourceFailed("the cloud has no object store", "NotFound")
    container, name = ctx.stack_id, ctx.physical_name()
    ctx.note(**{PLACE: [container, name]})
    await ctx.intend()
    headers = {"X-Versions-Location": container} if many else {}
    await cloud.send("object", "PUT", container, headers=headers)
    return await cloud.temporary_url("PUT", container, name)


async def collect(ctx: Context) -> list[dict[str, Any]]:
    """The signals since last time, in their order."""
    if PLACE not in ctx.data:
        return []
    container, name = ctx.data[PLACE]
    cloud = await ctx.cloud()
    taken = set(ctx.data.get(TAKEN, ()))
    found: dict[str, bytes] = {}
    # The latest one comes first: one that arrives meanwhile makes it a version, and is fetched next time.
    with suppress(NotFound):
        latest = await cloud.send("object", "GET", container, name)
        found[latest.headers["X-Timestamp"]] = latest.content
    if not found:
        return []
    for version in await _versions(cloud, container, name):
        moment = version.rpartition("/")[2]
        if moment not in taken and moment not in found:
            with suppress(NotFound):
                found[moment] = (await cloud.send("object", "GET", container, version)).content
    new = {moment: found[moment] for moment in sorted(found) if moment not in taken}
    if new:
        ctx.note(**{TAKEN: sorted(taken | set(new))})
    return [_read(content) for content in new.values()]


async def remove(ctx: Context) -> None:
    """Deletes what was put there, and the container if it was the last resource's. What is gone is fine."""
    if PLACE not in ctx.data:
        return
    container, name = ctx.data[PLACE]
    cloud = await ctx.cloud()
    with suppress(NotFound):
        for version in await _versions(cloud, container, name):
            with suppress(NotFound):
                await cloud.send("object", "DELETE", container, version)
        # A version that was not listed comes back in its place.
        with suppress(NotFound):
            while True:
                await cloud.send("object", "DELETE", container, name)
        with suppress(Conflict):
            await cloud.send("object", "DELETE", container)


async def _versions(cloud: CloudAccess, container: str, name: str) -> list[str]:
    params = {"format": "json", "prefix": f"{len(name.encode()):03x}{name}/"}
    answer = await cloud.send("object", "GET", container, params=params)
    return [str(each["name"]) for each in answer.json() or () if "name" in each]


def _read(content: bytes) -> dict[str, Any]:
    """A signal without a body says that all is well."""
    if not content.strip():
        return {}
    try:
        details = json.loads(content)
    except ValueError:
        details = None
    if not isinstance(details, dict):
        raise ResourceFailed("a signal is a map, as JSON", "ValueError")
    return details
