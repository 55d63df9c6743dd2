from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from calor.clouds.errors import Conflict, NotFound
from calor.language.constraints import one_of, pattern, range_
from calor.language.schema import Problem, Property, supported
from calor.types.behaviour import CloudServices, Context, ResourceFailed
from calor.types.cloud_objects import CloudObject, Object, failed, some
from calor.types.glance.patching import CONTENT_TYPE, patch
from calor.types.rules import filled, visible

UUID = pattern("^([0-9a-fA-F]){8}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){12}$")


FIXED = ("name", "id", "min_disk", "min_ram", "disk_format", "container_format")
CHANGING = ("protected", "visibility", "tags", "owner")
"""Members that every image has."""
OPTIONAL = ("architecture", "kernel_id", "os_distro", "os_version", "ramdisk_id")
"""Members that an image may have, and lose."""


class AmazonFormats:
    """The container formats of Amazon hold a disk of the same format only."""

    def problems(self, given: Mapping[str, Any]) -> Iterator[Problem]:
        container, disk = visible(given.get("container_format")), visible(given.get("disk_format"))
        if container in ("ami", "ari", "aki") and disk is not None and disk != container:
            yield Problem(
                "StackValidationFailed", f"a container_format of {container} needs the same disk_format"
            )


class MembersOfSharedImage:
    def problems(self, given: Mapping[str, Any]) -> Iterator[Problem]:
        visibility = visible(given.get("visibility"))
        if filled(given.get("members")) and visibility is not None and visibility != "shared":
            yield Problem("ResourcePropertyValueDependency", "members needs a visibility of shared")


class WebImage(CloudObject):
    type_name = "OS::Glance::WebImage"
    support = supported("12.0.0")
    service = "glance"
    entity = "images"
    properties = {
        "name": Property(str),
        "id": Property(str),
        "min_disk": Property(int, default=0, constraints=[range_(min=0)]),
        "min_ram": Property(int, default=0, constraints=[range_(min=0)]),
        "protected": Property(bool, default=False, update_allowed=True),
        "disk_format": Property(
            str,
            required=True,
            constraints=[
                one_of("ami", "ari", "aki", "vhd", "vhdx", "vmdk", "raw", "qcow2", "vdi", "iso", "ploop")
            ],
        ),
        "container_format": Property(
            str, required=True, constraints=[one_of("ami", "ari", "aki", "bare", "ovf", "ova", "docker")]
        ),
        "location": Property(str, required=True),
        "tags": Property(list, update_allowed=True),
        "architecture": Property(str, update_allowed=True),
        "kernel_id": Property(str, update_allowed=True, constraints=[UUID]),
        "os_distro": Property(str, update_allowed=True),
        "os_version": Property(str, update_allowed=True),
        "owner": Property(str, update_allowed=True),
        "extra_properties": Property(dict, default={}, update_allowed=True, support=supported("17.0.0")),
        "visibility": Property(
            str,
            default="private",
            update_allowed=True,
            constraints=[one_of("public", "private", "community", "shared")],
        ),
        "ramdisk_id": Property(str, update_allowed=True, constraints=[UUID]),
        "active": Property(bool, default=True, update_allowed=True, support=supported("16.0.0")),
        "members": Property(list, update_allowed=True, support=supported("16.0.0"), items=Property(str)),
    }
    rules = [AmazonFormats(), MembersOfSharedImage()]
    api = "image"
    collection = ("images",)
    waits = True

    @classmethod
    async def new(cls, ctx: Context, props: Mapping[str, Any]) -> Object:
        given = {**props, "name": cls.name_for(ctx, props)}
        return {**_texts(props["extra_properties"]), **some(given, (*FIXED, *CHANGING, *OPTIONAL))}

    @classmethod
    def request(cls, props: Mapping[str, Any], body: Object) -> Object:
        return body

    @classmethod
    def likeness(cls, body: Object) -> dict[str, str]:
        return {"name": str(body["name"]), "visibility": str(body["visibility"])}

    @classmethod
    def resembles(cls, shown: Object, body: Object) -> bool:
        return bool(shown["name"] == body["name"] and shown["id"] == body.get("id", shown["id"]))

    @classmethod
    async def finish(cls, ctx: Context, cloud: CloudServices, given: Mapping[str, Any], made: Object) -> None:
        if ctx.physical_id is None:
            ctx.made(cls.id_of(made))
        if made["status"] == "queued":
            method = {"name": "web-download", "uri": given["location"]}
            # Said of one that is being imported already.
            with suppress(Conflict):
                await cls._tell(ctx, cloud, "POST", "import", body={"method": method})
        await super().finish(ctx, cloud, given, made)

    @classmethod
    def is_ready(cls, shown: Object) -> bool:
        status = shown["status"]
        if shown.get("os_glance_failed_import"):
            raise ResourceFailed("the image could not be imported", "ResourceInError")
        if status in ("killed", "deleted", "pending_delete"):
            raise failed(shown)
        return status in ("active", "deactivated")

    @classmethod
    async def furnish(cls, ctx: Context, cloud: CloudServices, props: Mapping[str, Any]) -> None:
        await cls._share(ctx, cloud, props["members"] or ())
        if not props["active"]:
            await cls._tell(ctx, cloud, "POST", "actions", "deactivate")

    @classmethod
    async def update(cls, ctx: Context, props: dict[str, Any], changed: frozenset[str]) -> None:
        cloud = await ctx.cloud()
        shown = await cls.shown(ctx, cloud)
        if shown is None:
            raise NotFound(f"There is no image {ctx.physical_id}.", status=404)
        steps = patch(shown, _wanted(props, changed), _unwanted(ctx.properties, props, changed))
        if steps:
            headers = {"Content-Type": CONTENT_TYPE}
            await cloud.send(
                cls.api, "PATCH", *cls.collection, str(ctx.physical_id), body=steps, headers=headers
            )
        if "members" in changed:
            await cls._share(ctx, cloud, props["members"] or (), ctx.properties["members"] or ())
        if "active" in changed:
            action = "reactivate" if props["active"] else "deactivate"
            await cls._tell(ctx, cloud, "POST", "actions", action)
        await cls.observe(ctx)

    @classmethod
    async def _share(cls, ctx: Context, cloud: CloudServices, members: Any, before: Any = ()) -> None:
        for project in before:
            if project not in members:
                with suppress(NotFound):
                    await cls._tell(ctx, cloud, "DELETE", "members", project)
        for project in members:
            # Said of one who is a member already.
            with suppress(Conflict):
                await cls._tell(ctx, cloud, "POST", "members", body={"member": project})

    @classmethod
    async def _tell(
        cls, ctx: Context, cloud: CloudServices, method: str, *path: str, body: Object | None = None
    ) -> None:
        await cloud.ask(cls.api, method, *cls.collection, str(ctx.physical_id), *path, body=body)


def _wanted(props: Mapping[str, Any], changed: frozenset[str]) -> Object:
    """The members that an update gives values."""
    plain = some(props, [name for name in (*CHANGING, *OPTIONAL) if name in changed])
    extra = _texts(props["extra_properties"]) if "extra_properties" in changed else {}
    emptied: Object = {"tags": []} if "tags" in changed and not props["tags"] else {}
    return {**extra, **plain, **emptied}


def _unwanted(before: Mapping[str, Any], props: Mapping[str, Any], changed: frozenset[str]) -> list[str]:
    """The members that an update takes away."""
    gone = [name for name in OPTIONAL if name in changed and props[name] is None]
    if "extra_properties" in changed:
        gone += sorted(set(before["extra_properties"] or {}) - set(props["extra_properties"] or {}))
    return gone


def _texts(extra: Mapping[str, Any] | None) -> dict[str, str]:
    return {
        name: value if isinstance(value, str) else json.dumps(value) for name, value in (extra or {}).items()
    }
