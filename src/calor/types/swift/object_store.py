"""Containers of the object store and their objects."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from urllib.parse import urlsplit

from calor.clouds.errors import Conflict, NotFound
from calor.resources.context import Context
from calor.resources.services import CloudReader, CloudServices
from calor.resources.values import JsonMapping, JsonObject

AT_ONCE = 100
"""Objects that are deleted side by side."""
TRIES = 20
PAUSE = 0.5
"""The interval for retrying the deletion of a container, whose objects may still be listed."""


def meta_headers(kind: str, metadata: JsonMapping | None) -> dict[str, str]:
    """Metadata of an `Account` or a `Container` as headers."""
    return {f"X-{kind}-Meta-{name}": str(value) for name, value in (metadata or {}).items()}


async def look(cloud: CloudReader, container: str) -> JsonObject:
    """The headers of a container, and the address of the account that it is in. Raises NotFound."""
    answer = await cloud.send("object", "HEAD", container)
    address = urlsplit(answer.url)
    account = address._replace(path=address.path.rpartition("/")[0], query="").geturl()
    headers = {name.lower(): value for name, value in answer.headers.items()}
    return {"account": account, "headers": headers}


async def remove_container(ctx: Context, cloud: CloudServices, container: str, *, purge: bool) -> None:
    """Deletes a container, with all that is in it if it is to be purged. What is gone is fine."""
    with suppress(NotFound):
        if not purge:
            await cloud.send("object", "DELETE", container)
            return
        for _ in range(TRIES):
            await _empty(cloud, container)
            try:
                await cloud.send("object", "DELETE", container)
                return
            except Conflict:
                await ctx.sleep(PAUSE)
        await cloud.send("object", "DELETE", container)


async def _empty(cloud: CloudServices, container: str) -> None:
    while names := await names_in(cloud, container, limit=AT_ONCE):
        gone = await asyncio.gather(*(remove_object(cloud, container, name) for name in names))
        if not any(gone):
            # Only the list still has them.
            return


async def remove_object(cloud: CloudServices, container: str, name: str) -> bool:
    """Whether there was something to delete."""
    try:
        await cloud.send("object", "DELETE", container, name)
    except NotFound:
        return False
    return True


async def names_in(
    cloud: CloudServices, container: str, *, prefix: str = "", limit: int = 10_000
) -> list[str]:
    """The first names in a container, in their order."""
    params = {"format": "json", "limit": str(limit), **({"prefix": prefix} if prefix else {})}
    answer = await cloud.send("object", "GET", container, params=params)
    return [str(each["name"]) for each in answer.json() or () if "name" in each]
