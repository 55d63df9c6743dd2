"""The life of a volume, whatever the template calls it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calor.clouds.errors import Conflict, NotFound, Permanent
from calor.types.behaviour import CloudServices, Context, ResourceFailed
from calor.types.cinder.backups import back_up
from calor.types.cinder.base import CinderObject
from calor.types.cloud_objects import Object, failed
from calor.types.naming import id_for, with_ids

KEPT = "_kept"
"""Where a resource keeps the id of the backup that stays behind."""
LET_GO = 60.0
"""Seconds within which a server that goes must have let go of a volume that is to be deleted."""


class VolumeObject(CinderObject):
    collection = ("volumes",)
    new_reference = True
    wrapper = "volume"
    details = "detail"
    waits = True
    waits_for_removal = True
    volatile = True
    snapshots_on_delete = True

    @classmethod
    def backup_of(cls, props: Mapping[str, Any]) -> str | None:
        """The backup that a new volume is restored from, if any."""
        return None

    @classmethod
    async def create(cls, ctx: Context, props: dict[str, Any]) -> None:
        cloud = await ctx.cloud()
        given = await with_ids(cloud, cls, props)
        body = await cls.new(ctx, given)

        async def orphan() -> Object | None:
            return await cls.orphan(ctx, cloud, body)

        backup = cls.backup_of(given)
        if backup is None:
            made = await cloud.make("volume", "volumes", body=cls.request(given, body), find=orphan)
        else:
            id = await id_for(cloud, "cinder.backup", backup)
            wanted = {"restore": {"name": body["name"]}}
            answer = await cloud.make("volume", "backups", id, "restore", body=wanted, find=orphan)
            made = {"id": answer.get("volume_id") or answer.get("id"), "status": "restoring-backup"}
        await cls.finish(ctx, cloud, given, made)

    @classmethod
    async def orphan(cls, ctx: Context, cloud: CloudServices, body: Object) -> Object | None:
        """What is restored has its name, and the rest later."""
        restored = cls.backup_of(ctx.properties) is not None
        return await super().orphan(ctx, cloud, {"name": body["name"]} if restored else body)

    @classmethod
    def resembles(cls, shown: Object, body: Object) -> bool:
        known = ("name", "size", "description")
        return all(shown.get(name) == body[name] for name in known if name in body)

    @classmethod
    def is_ready(cls, shown: Object) -> bool:
        status = str(shown["status"])
        if status.startswith("error"):
            raise failed(shown)
        return status in ("available", "in-use")

    @classmethod
    async def is_well(cls, ctx: Context) -> bool:
        shown = await cls.shown(ctx, await ctx.cloud())
        return shown is not None and not str(shown["status"]).startswith(("error", "deleting"))

    @classmethod
    async def furnish(cls, ctx: Context, cloud: CloudServices, props: Mapping[str, Any]) -> None:
        if cls.backup_of(props) is not None:
            # It has the names and the metadata of the volume that the backup was made of.
            body = await cls.new(ctx, props)
            names = {"name": body["name"], "description": body.get("description")}
            await cls.tell(ctx, cloud, "PUT", body={"volume": names})
            await cls.tell(ctx, cloud, "PUT", "metadata", body={"metadata": body.get("metadata") or {}})
            await cls.observe(ctx)

    @classmethod
    async def remove(cls, ctx: Context, cloud: CloudServices) -> None:
        """What is done to a volume at the moment, such as that a server lets go of it, may keep it from going."""
        try:
            await super().remove(ctx, cloud)
        except (Conflict, Permanent) as error:
            if error.status not in (400, 409):
                raise
            if await cls._idle_status(ctx, cloud) != "deleting":
                await super().remove(ctx, cloud)

    @classmethod
    async def _idle_status(cls, ctx: Context, cloud: CloudServices) -> str:
        """The status when nothing is done to the volume any more, unless it goes."""
        began = ctx.now()

        def settled(shown: Object | None) -> bool:
            if shown is None:
                raise NotFound(f"{ctx.physical_id} is gone", status=404)
            status = str(shown["status"])
            if status == "in-use" and ctx.now() - began > LET_GO:
                raise ResourceFailed("Volume in use", "Error")
            return status in ("available", "deleting") or status.startswith("error")

        found = await cls.until(ctx, cloud, settled)
        assert found is not None
        return str(found["status"])

    @classmethod
    def is_gone(cls, shown: Object | None) -> bool:
        if shown is not None and str(shown["status"]) == "error_deleting":
            raise failed(shown)
        return shown is None

    @classmethod
    async def snapshot_delete(cls, ctx: Context) -> None:
        """Leaves a backup behind."""
        if ctx.physical_id is None:
            return
        cloud = await ctx.cloud()
        if await cls.shown(ctx, cloud) is None:
            return
        if KEPT not in ctx.data:
            ctx.note(**{KEPT: await back_up(ctx, cloud)})
            await ctx.intend()
        await cls.delete(ctx)

    @classmethod
    async def tell(
        cls, ctx: Context, cloud: CloudServices, method: str, *path: str, body: Mapping[str, Any]
    ) -> None:
        await cloud.ask("volume", method, "volumes", str(ctx.physical_id), *path, body=body)
