"""The life cycle of servers: update, suspension and replacement."""

from __future__ import annotations

from typing import ClassVar

from calor.clouds.errors import NotFound
from calor.resources.context import Context, ResourceView
from calor.resources.outcomes import ResourceFailed
from calor.resources.services import CloudServices
from calor.resources.values import JsonMapping, JsonObject, Properties
from calor.types.cloud_objects import SHOWN, Object
from calor.types.heat.software import agent_settings
from calor.types.nova.server import addresses, full_view
from calor.types.nova.server.interface_changes import change_interfaces, interfaces, plug, unplug
from calor.types.nova.server.lifecycle import ServerLifecycle, fault_of
from calor.types.nova.server.ports import own_ports
from calor.types.nova.server.request import READ, as_text, encoded, personality

WITH_USER_DATA = "2.57"
"""The microversion from which a server can be rebuilt with other user data, and file injection is removed."""
UNPLUGGED = "_unplugged"
"""Where a server notes the ports that its replacement has taken over."""


class ServerChanges(ServerLifecycle, extends=True):
    own_metadata: ClassVar[tuple[str, ...]] = (agent_settings.SETTINGS, "deployments")
    refresh_metadata_on_signal = True

    @classmethod
    def needs_replacement(cls, before: Properties, after: Properties, changed: frozenset[str]) -> bool:
        if "flavor" in changed and after["flavor_update_policy"] == "REPLACE":
            return True
        if "image" in changed and (
            after["image_update_policy"] == "REPLACE" or not (before.get("image") and after.get("image"))
        ):
            return True
        return "user_data" in changed and after["user_data_update_policy"] == "REPLACE"

    @classmethod
    async def update(cls, ctx: Context, props: JsonObject, changed: frozenset[str]) -> None:
        cloud = await ctx.cloud()
        given = await cls.given(cloud, props)
        if "name" in changed:
            await cls._put(ctx, cloud, {"server": {"name": cls.name_for(ctx, given)}})
        if "metadata" in changed:
            await cls._put(ctx, cloud, {"metadata": as_text(given.get("metadata") or {})}, "metadata")
        if "tags" in changed:
            await cls.put_tags(ctx, cloud, given.get("tags") or [])
        if "admin_pass" in changed and given.get("admin_pass"):
            await cls.act(ctx, cloud, {"changePassword": {"adminPass": given["admin_pass"]}})
        if "flavor" in changed:
            await cls._resize(ctx, cloud, given["flavor"])
        new_data = "user_data" in changed and given["user_data_update_policy"] == "REBUILD"
        if "image" in changed or new_data:
            await cls._rebuild(ctx, cloud, given, new_data)
        if "networks" in changed:
            before = await cls.given(cloud, ctx.properties)
            await change_interfaces(ctx, cloud, before["networks"], given)
        if changed & {"software_config_transport", "deployment_swift_data"}:
            await cls._reconnect(ctx, given)
        shown = await cls.shown(ctx, cloud)
        if shown is not None:
            ctx.set_data(**{SHOWN: shown})
            await addresses.learn(ctx, cloud)
            await full_view.learn(ctx, cloud)

    @classmethod
    async def _put(cls, ctx: Context, cloud: CloudServices, body: Object, *path: str) -> None:
        await cloud.request("compute", "PUT", "servers", str(ctx.physical_id), *path, body=body, version=READ)

    @classmethod
    async def _present(cls, ctx: Context, cloud: CloudServices) -> Object:
        shown = await cls.shown(ctx, cloud)
        if shown is None:
            raise ResourceFailed(f"Server {ctx.physical_id} is gone", "NotFound")
        return shown

    @classmethod
    async def _resize(cls, ctx: Context, cloud: CloudServices, flavor: str) -> None:
        """Resizes, and confirms it. One that was begun before is only brought to its end."""
        present = await cls._present(ctx, cloud)
        if present["status"] not in ("RESIZE", "VERIFY_RESIZE"):
            if _flavor_of(present) == flavor:
                return
            await cls.act(ctx, cloud, {"resize": {"flavorRef": flavor}})

        def is_resized(shown: Object) -> bool:
            if shown["status"] == "ERROR":
                raise ResourceFailed(f'Went to status ERROR due to "{fault_of(shown)}"', "ResourceInError")
            at_rest = shown["status"] in ("ACTIVE", "SHUTOFF") and not shown.get("OS-EXT-STS:task_state")
            if at_rest and _flavor_of(shown) != flavor:
                raise ResourceFailed(
                    f"Resizing to '{flavor}' failed, status '{shown['status']}'", "ResourceUnknownStatus"
                )
            return at_rest or shown["status"] == "VERIFY_RESIZE"

        resized = await cls.await_ready(ctx, cloud, is_resized)
        if resized["status"] == "VERIFY_RESIZE":
            await cls.act(ctx, cloud, {"confirmResize": None})
            await cls.await_ready(ctx, cloud, lambda shown: shown["status"] in ("ACTIVE", "SHUTOFF"))

    @classmethod
    async def _rebuild(cls, ctx: Context, cloud: CloudServices, props: Properties, new_data: bool) -> None:
        present = await cls._present(ctx, cloud)
        image = props.get("image") or (present.get("image") or {}).get("id")
        rebuilt = not new_data and (present.get("image") or {}).get("id") == image
        if present["status"] != "REBUILD" and not rebuilt:
            wanted: Object = {"imageRef": image}
            if props["image_update_policy"] == "REBUILD_PRESERVE_EPHEMERAL":
                wanted["preserve_ephemeral"] = True
            if props.get("metadata"):
                wanted["metadata"] = as_text(props["metadata"])
            if props.get("admin_pass"):
                wanted["adminPass"] = props["admin_pass"]
            if new_data:
                text = await cls.user_data(ctx, props)
                wanted["user_data"] = encoded(text) if text else None
            elif props.get("personality"):
                wanted["personality"] = personality(props["personality"])
            await cls.act(ctx, cloud, {"rebuild": wanted}, WITH_USER_DATA if new_data else READ)
        await cls.await_ready(ctx, cloud, cls.is_ready)

    @classmethod
    async def _reconnect(cls, ctx: Context, props: Properties) -> None:
        if props["user_data_format"] == "SOFTWARE_CONFIG":
            await agent_settings.connect(
                ctx, props["software_config_transport"], props.get("deployment_swift_data")
            )

    @classmethod
    def live_properties(cls, ctx: ResourceView, shown: Object) -> Object:
        given = ctx.properties
        found = {"name": shown["name"]} if given.get("name") else {}
        if given.get("metadata"):
            same = as_text(given["metadata"]) == shown.get("metadata")
            found["metadata"] = given["metadata"] if same else shown.get("metadata")
        if given.get("tags"):
            same = sorted(given["tags"]) == sorted(shown.get("tags") or ())
            found["tags"] = given["tags"] if same else shown.get("tags")
        return found

    # Rest.

    @classmethod
    async def suspend(cls, ctx: Context) -> None:
        cloud = await ctx.cloud()
        await cls._turn(ctx, cloud, "suspend", "SUSPENDED", under_way="suspending")
        await ctx.enable_user(False)

    @classmethod
    async def resume(cls, ctx: Context) -> None:
        await ctx.enable_user(True)
        cloud = await ctx.cloud()
        await cls._turn(ctx, cloud, "resume", "ACTIVE", under_way="resuming")

    @classmethod
    async def _turn(
        cls, ctx: Context, cloud: CloudServices, action: str, goal: str, *, under_way: str
    ) -> None:
        def is_there(shown: Object) -> bool:
            if shown["status"] == "ERROR":
                raise ResourceFailed(f'Went to status ERROR due to "{fault_of(shown)}"', "ResourceInError")
            return bool(shown["status"] == goal)

        present = await cls._present(ctx, cloud)
        if is_there(present):
            return
        if present.get("OS-EXT-STS:task_state") != under_way:
            await cls.act(ctx, cloud, {action: None})
        await cls.await_ready(ctx, cloud, is_there)

    # In the place of another one.

    @classmethod
    async def before_replace(cls, ctx: Context) -> None:
        """The server that replaces this one may want the same ports."""
        if ctx.physical_id is None:
            return
        cloud = await ctx.cloud()
        own = own_ports(ctx.data)
        try:
            attached = [str(one["port_id"]) for one in await interfaces(ctx, cloud)]
        except NotFound:
            return
        given = await cls.given(cloud, ctx.properties)
        named = {network.get("port") for network in given["networks"] or ()}
        lent = [port for port in attached if port in named and port not in own]
        if lent:
            ctx.set_data(**{UNPLUGGED: lent})
            await unplug(ctx, cloud, lent)

    @classmethod
    async def revert_replace(cls, ctx: Context) -> None:
        """The server is needed again: it gets back its ports."""
        lent = ctx.data.get(UNPLUGGED) or []
        cloud = await ctx.cloud()
        for port in lent:
            shown = await cloud.show("network", "ports", port)
            holder = str((shown or {}).get("device_id") or "")
            if shown is None or holder == ctx.physical_id:
                continue
            if holder:
                await unplug(ctx, cloud, [port], server=holder)
            await plug(ctx, cloud, {}, port)
        ctx.set_data(**{UNPLUGGED: []})


def _flavor_of(shown: JsonMapping) -> str | None:
    flavor = shown.get("flavor") or {}
    return flavor.get("id")
