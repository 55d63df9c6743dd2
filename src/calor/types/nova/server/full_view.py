"""A server as the compute service shows it: the attribute `show`.

Servers are read in an old microversion otherwise, as later ones show flavors without their ids."""

from __future__ import annotations

from calor.resources.context import Context, ResourceView
from calor.resources.services import CloudServices
from calor.resources.values import JsonObject
from calor.types.cloud_objects import SHOWN
from calor.types.heat.software import agent_settings

WHOLE = "_whole"
"""Where a resource keeps it."""
NEWEST = (2, 96)
"""The microversion in which Heat shows servers, where the service has it."""


async def learn(ctx: Context, cloud: CloudServices) -> None:
    """Reads it, if the template does."""
    if not ctx.reads("show"):
        return
    has = await cloud.show_cached("compute") or {}
    version = min(_numbers(has.get("version")), NEWEST)
    shown = await cloud.show("compute", "servers", str(ctx.physical_id), version=".".join(map(str, version)))
    if shown is not None:
        ctx.set_data(**{WHOLE: shown})


def shown(ctx: ResourceView) -> JsonObject | None:
    known = ctx.data.get(WHOLE) or ctx.data.get(SHOWN)
    return known and {**known, "os_collect_config": settings(ctx)}


def settings(ctx: ResourceView) -> JsonObject:
    """The metadata for the agent on the server; empty if it has none."""
    return ctx.metadata.get(agent_settings.SETTINGS) or {}


def _numbers(version: object) -> tuple[int, ...]:
    """A microversion as numbers; the first one of all where a service has none."""
    try:
        return tuple(int(part) for part in str(version).split("."))
    except ValueError:
        return (2, 1)
