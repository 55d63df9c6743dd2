"""Servers at work: how they are kept as images."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from calor.resources.context import Context
from calor.resources.outcomes import ResourceFailed
from calor.resources.services import CloudServices
from calor.resources.values import JsonObject, Properties
from calor.types.cloud_objects import Object
from calor.types.nova.server.changes import ServerChanges

WITH_IMAGE_ID = "2.45"
"""From here on the answer to a request for an image has its id."""
IMAGING = "_imaging"
"""The data key for the name of the image in progress."""


class ServerImages(ServerChanges, extends=True):
    snapshot_parts: ClassVar[Mapping[str, tuple[str, str]]] = {"snapshot_image_id": ("image", "images")}

    @classmethod
    async def snapshot(cls, ctx: Context) -> JsonObject:
        return {"snapshot_image_id": await cls._image(ctx, await ctx.cloud())}

    @classmethod
    def restored(cls, props: Properties, kept: Properties) -> JsonObject:
        return {**props, "image": kept["snapshot_image_id"]}

    @classmethod
    async def snapshot_delete(cls, ctx: Context) -> None:
        cloud = await ctx.cloud()
        if ctx.physical_id is not None and await cls.shown(ctx, cloud) is not None:
            await cls._image(ctx, cloud)
        await cls.delete(ctx)

    @classmethod
    async def _image(cls, ctx: Context, cloud: CloudServices) -> str:
        """Creates an image of the server, and returns its id."""
        name = ctx.data.get(IMAGING)
        if name is None:
            name = f"{ctx.physical_name(200)}-{int(ctx.now())}"
            ctx.set_data(**{IMAGING: name})
            await ctx.flush()
        begun = await cloud.list_all("image", "images", key="images", params={"name": name})
        if begun:
            image = str(begun[0]["id"])
        else:
            answer = await cls.act(ctx, cloud, {"createImage": {"name": name}}, WITH_IMAGE_ID)
            image = str(answer["image_id"])

        def is_made(shown: Object | None) -> bool:
            status = "deleted" if shown is None else str(shown["status"])
            if status in ("killed", "deleted", "pending_delete", "deactivated"):
                raise ResourceFailed(f"Image {image} went to status {status}", "ResourceInError")
            return status == "active"

        await cloud.wait_until("image", ("images",), image, is_made)
        ctx.set_data(**{IMAGING: None})
        return image
