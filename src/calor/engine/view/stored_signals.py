"""Signals in the object store, which software PUTs to a temporary URL.

All signals to a resource are one object in the stack's container. If there can be several, the store keeps earlier ones
as versions in the same container, with names that end with the timestamp.
"""

from __future__ import annotations

from contextlib import suppress
from http import HTTPStatus

from calor.clouds.errors import CloudError, Conflict, NotFound
from calor.language.budget import LIMIT
from calor.resources import received_json
from calor.resources.context import Context
from calor.resources.outcomes import ResourceFailed
from calor.resources.services import CloudServices
from calor.resources.values import JsonObject

LOCATION = "_signals_at"
"""The key for the container and object of a resource's signals."""
COLLECTED = "_signals_taken"
"""The key for the timestamps of collected signals."""


_MOST_RESTORED = 1000


async def url_for_signals(ctx: Context, *, many: bool) -> str:
    cloud = await ctx.cloud()
    if not await cloud.has("object"):
        raise ResourceFailed("the cloud has no object store", "NotFound")
    container, name = ctx.stack_id, ctx.physical_name()
    ctx.set_data(**{LOCATION: [container, name]})
    await ctx.flush()
    headers = {"X-Versions-Location": container} if many else {}
    await cloud.send("object", "PUT", container, headers=headers)
    return await cloud.temporary_url("PUT", container, name)


async def collect(ctx: Context, most: int) -> list[JsonObject]:
    """The new signals, in order. Fails if they have more than `most` bytes in total."""
    if LOCATION not in ctx.data:
        return []
    container, name = ctx.data[LOCATION]
    cloud = await ctx.cloud()
    taken = set(ctx.data.get(COLLECTED, ()))
    found: dict[str, bytes] = {}
    # Read the latest first: a signal that arrives meanwhile turns it into a version, and is collected next time.
    with suppress(NotFound):
        moment, content = await _fetch(cloud, container, name, most)
        found[moment] = content
    if not found:
        return []
    for version in await _versions(cloud, container, name):
        moment = version.rpartition("/")[2]
        if moment not in taken and moment not in found:
            with suppress(NotFound):
                left = most - sum(map(len, found.values()))
                found[moment] = (await _fetch(cloud, container, version, left))[1]
    new = {moment: found[moment] for moment in sorted(found) if moment not in taken}
    if new:
        ctx.set_data(**{COLLECTED: sorted(taken | set(new))})
    return [_read(content) for content in new.values()]


async def _fetch(cloud: CloudServices, container: str, name: str, most: int) -> tuple[str, bytes]:
    """The timestamp and content of a signal. Raises ResourceFailed if it has more than `most` bytes."""
    try:
        answer = await cloud.send("object", "GET", container, name, headers={"Range": f"bytes=0-{most}"})
    except CloudError as error:
        if error.status != HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            raise
        # The object is empty.
        return (await cloud.send("object", "HEAD", container, name)).headers["X-Timestamp"], b""
    if len(answer.content) > most:
        raise ResourceFailed("the signals are too large", LIMIT)
    return answer.headers["X-Timestamp"], answer.content


async def remove(ctx: Context) -> None:
    """Deletes the signals, and the container if it is empty then."""
    if LOCATION not in ctx.data:
        return
    container, name = ctx.data[LOCATION]
    cloud = await ctx.cloud()
    with suppress(NotFound):
        for version in await _versions(cloud, container, name):
            with suppress(NotFound):
                await cloud.send("object", "DELETE", container, version)
        # Deleting restores versions that were not listed. A server may write faster than this.
        with suppress(NotFound):
            for _ in range(_MOST_RESTORED):
                await cloud.send("object", "DELETE", container, name)
        with suppress(Conflict):
            await cloud.send("object", "DELETE", container)


async def _versions(cloud: CloudServices, container: str, name: str) -> list[str]:
    params = {"format": "json", "prefix": f"{len(name.encode()):03x}{name}/"}
    answer = await cloud.send("object", "GET", container, params=params)
    return [str(each["name"]) for each in answer.json() or () if "name" in each]


def _read(content: bytes) -> JsonObject:
    """An empty signal means success."""
    if not content.strip():
        return {}
    try:
        details = received_json.parse(content)
    except ValueError:
        details = None
    if not isinstance(details, dict):
        raise ResourceFailed("a signal must be a JSON object", "ValueError")
    return details
