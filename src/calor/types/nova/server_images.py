"""Servers at work: how they are kept as images."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from calor.types.behaviour import CloudServices, Context, ResourceFailed
from calor.types.cloud_objects import Object
from calor.types.nova.server_changes import ServerChanges

WITH_IMAGE_ID = "2.45"
"""From here on the answer to a request for an image has its id."""
IMAGING = "_imaging"
"""Where a server notes the name of the image that is being made of it."""


class ServerImages(ServerChanges):
    snapshot_parts: ClassVar[Mapping[str, tuple[str, str]]] = {"snapshot_image_id": ("image", "images")}

    @classmethod
    async def snapshot(cls, ctx: Context) -> dict[str, Any]:
        return {"snapshot_image_id": await cls._image(ctx, await ctx.cloud())}

    @classmethod
    def restored(cls, props: Mapping[str, Any], kept: Mapping[str, Any]) -> dict[str, Any]:
        return {**props, "image": kept["snapshot_image_id"]}

    @classmethod
    async def snapshot_delete(cls, ctx: Context) -> None:
        cloud = await ctx.cloud()
        if ctx.physical_id is not None and await cls.shown(ctx, cloud) is not None:
            await cls._image(ctx, cloud)
        await cls.delete(ctx)

    @classmethod
    async def _image(cls, ctx: Context, cloud: CloudServices) -> str:
        """The id of an image that is made of the server."""
        name = ctx.data.get(IMAGING)
        if name is None:
            name = f"{ctx.physical_name(200)}-{int(ctx.now())}"
            ctx.note(**{IMAGING: name})
            await ctx.intend()
        begun = await cloud.all("image", "images", key="images", params={"name": name})
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

        await cloud.until("image", ("images",), image, is_made)
        ctx.note(**{IMAGING: None})
        return image
