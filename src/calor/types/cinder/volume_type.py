from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress

from calor.clouds.errors import Conflict, NotFound
from calor.language.constraints import custom
from calor.language.schema import Problem, Property, supported
from calor.resources.context import Context
from calor.resources.services import CloudServices
from calor.resources.values import JsonMapping, Properties
from calor.types.cinder.base import UniquelyNamed, texts
from calor.types.cloud_objects import Object
from calor.types.naming import id_for
from calor.types.rules import filled


class ProjectsOfPrivateType:
    def problems(self, given: Properties) -> Iterator[Problem]:
        if filled(given.get("projects")) and filled(given.get("is_public")):
            yield Problem("StackValidationFailed", "projects needs is_public to be false")


class VolumeType(UniquelyNamed):
    """A kind of storage for volumes.

    Its metadata determines which backend serves it, and with which features. Only administrators may create one.
    """

    type_name = "OS::Cinder::VolumeType"
    support = supported("2015.1")
    extension = "os-types-manage"
    properties = {
        "name": Property(str, "What volumes call it in volume_type.", required=True, update_allowed=True),
        "metadata": Property(
            dict,
            "The extra specs that match it with backends and set their features, such as "
            "volume_backend_name or multiattach.",
            update_allowed=True,
        ),
        "is_public": Property(
            bool,
            "Whether all projects can use it, or only those listed in projects.",
            default=True,
            update_allowed=True,
            support=supported("5.0.0"),
        ),
        "description": Property(
            str,
            "A note for those who choose among the types.",
            update_allowed=True,
            support=supported("5.0.0"),
        ),
        "projects": Property(
            list,
            "The projects, by name or id, that may use a type that is not public.",
            default=[],
            update_allowed=True,
            support=supported("5.0.0"),
            items=Property(str, constraints=[custom("keystone.project")]),
        ),
    }
    rules = [ProjectsOfPrivateType()]
    collection = ("types",)
    wrapper = "volume_type"
    plural = "volume_types"

    @classmethod
    async def new(cls, ctx: Context, props: Properties) -> Object:
        return {
            "name": props["name"],
            "os-volume-type-access:is_public": props["is_public"],
            **({"description": props["description"]} if props["description"] is not None else {}),
            **({"extra_specs": texts(props["metadata"])} if props["metadata"] else {}),
        }

    @classmethod
    def list_filter(cls, body: Object) -> dict[str, str]:
        return {"is_public": "None"}

    @classmethod
    def matches(cls, shown: Object, body: Object) -> bool:
        return bool(shown.get("name") == body["name"])

    @classmethod
    async def after_create(cls, ctx: Context, cloud: CloudServices, props: Properties) -> None:
        await _grant(ctx, cloud, props["projects"])

    @classmethod
    async def change(cls, ctx: Context, props: Properties, changed: frozenset[str]) -> Object:
        return {name: props[name] for name in ("name", "description", "is_public") if name in changed}

    @classmethod
    async def after_update(
        cls, ctx: Context, cloud: CloudServices, props: Properties, changed: frozenset[str]
    ) -> None:
        if "metadata" in changed:
            await cls._specify(ctx, cloud, props["metadata"] or {})
        # One that is public is granted to nobody by name.
        if not props["is_public"] and changed & {"projects", "is_public"}:
            await _refuse(ctx, cloud, ctx.properties["projects"], but=props["projects"])
            await _grant(ctx, cloud, props["projects"])

    @classmethod
    async def _specify(cls, ctx: Context, cloud: CloudServices, metadata: JsonMapping) -> None:
        path = (*cls.collection, str(ctx.physical_id), "extra_specs")
        if metadata:
            await cloud.request(cls.api, "POST", *path, body={"extra_specs": texts(metadata)})
        for name in sorted(set(ctx.properties["metadata"] or {}) - set(metadata)):
            with suppress(NotFound):
                await cloud.request(cls.api, "DELETE", *path, name)


async def _grant(ctx: Context, cloud: CloudServices, projects: Iterable[str]) -> None:
    for named in projects:
        project = await id_for(cloud, "keystone.project", named)
        # It may have got it already.
        with suppress(Conflict):
            await _act(ctx, cloud, {"addProjectAccess": {"project": project}})


async def _refuse(ctx: Context, cloud: CloudServices, projects: Iterable[str], but: Iterable[str]) -> None:
    kept = {await id_for(cloud, "keystone.project", named) for named in but}
    for named in projects:
        with suppress(NotFound):
            project = await id_for(cloud, "keystone.project", named)
            if project not in kept:
                await _act(ctx, cloud, {"removeProjectAccess": {"project": project}})


async def _act(ctx: Context, cloud: CloudServices, action: Object) -> None:
    await cloud.request("volume", "POST", "types", str(ctx.physical_id), "action", body=action)
