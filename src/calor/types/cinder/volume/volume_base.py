"""The life of a volume, whatever the template calls it."""

from __future__ import annotations

from calor.clouds.errors import Conflict, NotFound, Permanent
from calor.resources.context import Context
from calor.resources.outcomes import ResourceFailed
from calor.resources.services import CloudServices
from calor.resources.values import JsonMapping, JsonObject, Properties
from calor.types.cinder.base import CinderObject
from calor.types.cinder.volume.backups import back_up
from calor.types.cloud_objects import Object, failed
from calor.types.naming import id_for, with_ids

KEPT = "_kept"
"""Where a resource keeps the id of the backup that stays behind."""
LET_GO = 60.0
"""The time limit for a server being deleted to detach a volume that is to be deleted."""


class VolumeObject(CinderObject, extends=True):
    collection = ("volumes",)
    new_reference = True
    wrapper = "volume"
    details = "detail"
    waits = True
    waits_for_removal = True
    volatile = True
    snapshots_on_delete = True

    @classmethod
    def backup_of(cls, props: Properties) -> str | None:
        """The backup that a new volume is restored from, if any."""
        return None

    @classmethod
    async def create(cls, ctx: Context, props: JsonObject) -> None:
        cloud = await ctx.cloud()
        given = await with_ids(cloud, cls, props)
        body = await cls.new(ctx, given)

        async def claim() -> Object | None:
            return await cls.claim(ctx, cloud, body)

        backup = cls.backup_of(given)
        if backup is None:
            made = await cloud.create("volume", "volumes", body=cls.request(given, body), find=claim)
        else:
            id = await id_for(cloud, "cinder.backup", backup)
            wanted = {"restore": {"name": body["name"]}}
            answer = await cloud.create("volume", "backups", id, "restore", body=wanted, find=claim)
            made = {"id": answer.get("volume_id") or answer.get("id"), "status": "restoring-backup"}
        await cls.finish(ctx, cloud, given, made)

    @classmethod
    async def claim(cls, ctx: Context, cloud: CloudServices, body: Object) -> Object | None:
        """What is restored has its name, and the rest later."""
        restored = cls.backup_of(ctx.properties) is not None
        return await super().claim(ctx, cloud, {"name": body["name"]} if restored else body)

    @classmethod
    def matches(cls, shown: Object, body: Object) -> bool:
        known = ("name", "size", "description")
        return all(shown.get(name) == body[name] for name in known if name in body)

    @classmethod
    def is_ready(cls, shown: Object) -> bool:
        status = str(shown["status"])
        if status.startswith("error"):
            raise failed(shown)
        return status in ("available", "in-use")

    @classmethod
    async def is_healthy(cls, ctx: Context) -> bool:
        shown = await cls.shown(ctx, await ctx.cloud())
        return shown is not None and not str(shown["status"]).startswith(("error", "deleting"))

    @classmethod
    async def after_create(cls, ctx: Context, cloud: CloudServices, props: Properties) -> None:
        if cls.backup_of(props) is not None:
            # It has the names and the metadata of the volume that the backup was made of.
            body = await cls.new(ctx, props)
            names = {"name": body["name"], "description": body.get("description")}
            await cls.send_action(ctx, cloud, "PUT", body={"volume": names})
            await cls.send_action(
                ctx, cloud, "PUT", "metadata", body={"metadata": body.get("metadata") or {}}
            )
            await cls.refresh(ctx)

    @classmethod
    async def remove(cls, ctx: Context, cloud: CloudServices) -> None:
        """Waits if another operation on the volume, such as a detachment, prevents its deletion."""
        try:
            await super().remove(ctx, cloud)
        except (Conflict, Permanent) as error:
            if error.status not in (400, 409):
                raise
            if await cls._idle_status(ctx, cloud) != "deleting":
                await super().remove(ctx, cloud)

    @classmethod
    async def _idle_status(cls, ctx: Context, cloud: CloudServices) -> str:
        """The status once no operation on the volume is in progress, except its deletion."""
        began = ctx.now()

        def settled(shown: Object | None) -> bool:
            if shown is None:
                raise NotFound(f"{ctx.physical_id} no longer exists", status=404)
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
            ctx.set_data(**{KEPT: await back_up(ctx, cloud)})
            await ctx.flush()
        await cls.delete(ctx)

    @classmethod
    async def send_action(
        cls, ctx: Context, cloud: CloudServices, method: str, *path: str, body: JsonMapping
    ) -> None:
        await cloud.request("volume", method, "volumes", str(ctx.physical_id), *path, body=body)
