"""Types of the volume service."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from calor.language.schema import ResourceType
from calor.types.behaviour import Context
from calor.types.cloud_objects import CloudObject, Object
from calor.types.naming import with_ids

ABSENT = "_absent"
"""Where a resource notes that there was nothing like its object before it was asked for."""


class CinderType(ResourceType):
    service = "cinder"


class CinderObject(CloudObject):
    service = "cinder"
    api = "volume"


class UniquelyNamed(CinderObject):
    """The service does not tell when such an object was made, but takes no second one of the same name: what is there
    is the resource's own if it was not there before."""

    @classmethod
    async def create(cls, ctx: Context, props: dict[str, Any]) -> None:
        cloud = await ctx.cloud()
        body = await cls.new(ctx, await with_ids(cloud, cls, props))
        if await super().orphan(ctx, cloud, body) is None:
            ctx.note(**{ABSENT: True})
            await ctx.intend()
        await super().create(ctx, props)

    @classmethod
    async def orphan(cls, ctx: Context, cloud: Any, body: Object) -> Object | None:
        return await super().orphan(ctx, cloud, body) if ctx.data.get(ABSENT) else None


def texts(given: Mapping[str, Any]) -> dict[str, str]:
    """Metadata and specifications as the service takes them: nothing but texts."""
    return {name: value if isinstance(value, str) else json.dumps(value) for name, value in given.items()}
