from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from calor.clouds.errors import CloudError, Conflict, NotFound
from calor.language.constraints import one_of, pattern, range_
from calor.language.schema import Problem, Property, supported
from calor.resources.context import Context
from calor.resources.outcomes import ResourceFailed
from calor.resources.services import CloudServices
from calor.resources.values import JsonMapping, JsonObject, Properties
from calor.types.cloud_objects import CloudObject, Object, failed, some
from calor.types.glance.json_patch import CONTENT_TYPE, patch
from calor.types.rules import filled, visible

UUID = pattern("^([0-9a-fA-F]){8}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){12}$")


FIXED = ("name", "id", "min_disk", "min_ram", "disk_format", "container_format")
CHANGING = ("protected", "visibility", "tags", "owner")
"""Members that every image has."""
OPTIONAL = ("architecture", "kernel_id", "os_distro", "os_version", "ramdisk_id")
"""Members that an image may have, and lose."""


FAILED = "os_glance_failed_import"
"""The stores that did not get the data of an image."""


class AmazonFormats:
    """The container formats of Amazon hold a disk of the same format only."""

    def problems(self, given: Properties) -> Iterator[Problem]:
        container, disk = visible(given.get("container_format")), visible(given.get("disk_format"))
        if container in ("ami", "ari", "aki") and disk is not None and disk != container:
            yield Problem(
                "StackValidationFailed", f"a container_format of {container} needs the same disk_format"
            )


class MembersOfSharedImage:
    def problems(self, given: Properties) -> Iterator[Problem]:
        visibility = visible(given.get("visibility"))
        if filled(given.get("members")) and visibility is not None and visibility != "shared":
            yield Problem("ResourcePropertyValueDependency", "members needs a visibility of shared")


class WebImage(CloudObject):
    type_name = "OS::Glance::WebImage"
    support = supported("12.0.0")
    service = "glance"
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
    async def new(cls, ctx: Context, props: Properties) -> Object:
        given = {**props, "name": cls.name_for(ctx, props)}
        return {**_texts(props["extra_properties"]), **some(given, (*FIXED, *CHANGING, *OPTIONAL))}

    @classmethod
    def request(cls, props: Properties, body: Object) -> Object:
        return body

    @classmethod
    def list_filter(cls, body: Object) -> dict[str, str]:
        return {"name": str(body["name"]), "visibility": str(body["visibility"])}

    @classmethod
    def matches(cls, shown: Object, body: Object) -> bool:
        return bool(shown["name"] == body["name"] and shown["id"] == body.get("id", shown["id"]))

    @classmethod
    async def finish(cls, ctx: Context, cloud: CloudServices, given: Properties, made: Object) -> None:
        if ctx.physical_id is None:
            ctx.set_physical_id(cls.id_of(made))
        if made["status"] == "queued":
            method = {"name": "web-download", "uri": given["location"]}
            # Said of one that is being imported already.
            with suppress(Conflict):
                await cls._send(ctx, cloud, "POST", "import", body={"method": method})
        await super().finish(ctx, cloud, given, made)

    @classmethod
    def is_ready(cls, shown: Object) -> bool:
        status = shown["status"]
        if status in ("killed", "deleted", "pending_delete"):
            raise failed(shown)
        return status in ("active", "deactivated")

    @classmethod
    async def await_ready(
        cls, ctx: Context, cloud: CloudServices, is_ready: Callable[[Object], bool]
    ) -> Object:
        def settled(shown: Object) -> bool:
            return bool(shown.get(FAILED)) or is_ready(shown)

        shown = await super().await_ready(ctx, cloud, settled)
        if shown.get(FAILED):
            problem = await cls._problem(ctx, cloud)
            words = "the image could not be imported"
            raise ResourceFailed(f"{words}: {problem}" if problem else words, "ResourceInError")
        return shown

    @classmethod
    async def _problem(cls, ctx: Context, cloud: CloudServices) -> str | None:
        """The message of the last failed task of an image, if the service shows it."""
        try:
            found = await cloud.request(cls.api, "GET", *cls.collection, str(ctx.physical_id), "tasks")
        except CloudError:
            return None
        failed = [one for one in found.get("tasks") or () if one.get("status") == "failure"]
        return next((str(one["message"]) for one in reversed(failed) if one.get("message")), None)

    @classmethod
    async def after_create(cls, ctx: Context, cloud: CloudServices, props: Properties) -> None:
        await cls._share(ctx, cloud, props["members"] or ())
        if not props["active"]:
            await cls._send(ctx, cloud, "POST", "actions", "deactivate")

    @classmethod
    async def update(cls, ctx: Context, props: JsonObject, changed: frozenset[str]) -> None:
        cloud = await ctx.cloud()
        shown = await cls.shown(ctx, cloud)
        if shown is None:
            raise NotFound(f"there is no image {ctx.physical_id}.", status=404)
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
            await cls._send(ctx, cloud, "POST", "actions", action)
        await cls.refresh(ctx)

    @classmethod
    async def _share(cls, ctx: Context, cloud: CloudServices, members: Any, before: Any = ()) -> None:
        for project in before:
            if project not in members:
                with suppress(NotFound):
                    await cls._send(ctx, cloud, "DELETE", "members", project)
        for project in members:
            # The project is already a member.
            with suppress(Conflict):
                await cls._send(ctx, cloud, "POST", "members", body={"member": project})

    @classmethod
    async def _send(
        cls, ctx: Context, cloud: CloudServices, method: str, *path: str, body: Object | None = None
    ) -> None:
        await cloud.request(cls.api, method, *cls.collection, str(ctx.physical_id), *path, body=body)


def _wanted(props: Properties, changed: frozenset[str]) -> Object:
    """The members that an update sets."""
    plain = some(props, [name for name in (*CHANGING, *OPTIONAL) if name in changed])
    extra = _texts(props["extra_properties"]) if "extra_properties" in changed else {}
    emptied: Object = {"tags": []} if "tags" in changed and not props["tags"] else {}
    return {**extra, **plain, **emptied}


def _unwanted(before: Properties, props: Properties, changed: frozenset[str]) -> list[str]:
    """The members that an update removes."""
    gone = [name for name in OPTIONAL if name in changed and props[name] is None]
    if "extra_properties" in changed:
        gone += sorted(set(before["extra_properties"] or {}) - set(props["extra_properties"] or {}))
    return gone


def _texts(extra: JsonMapping | None) -> dict[str, str]:
    return {
        name: value if isinstance(value, str) else json.dumps(value) for name, value in (extra or {}).items()
    }
