from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from calor.clouds.errors import Conflict, NotFound
from calor.language.constraints import custom
from calor.language.schema import Problem, Property, supported
from calor.types.behaviour import CloudServices, Context
from calor.types.cinder.base import UniquelyNamed, texts
from calor.types.cloud_objects import Object
from calor.types.naming import id_for
from calor.types.rules import filled


class ProjectsOfPrivateType:
    def problems(self, given: Mapping[str, Any]) -> Iterator[Problem]:
        if filled(given.get("projects")) and filled(given.get("is_public")):
            yield Problem("StackValidationFailed", "projects needs is_public to be false")


class VolumeType(UniquelyNamed):
    """A kind of storage that volumes can be made of.

    Its metadata says which backend serves it and with which features. Only administrators may create one.
    """

    type_name = "OS::Cinder::VolumeType"
    support = supported("2015.1")
    extension = "os-types-manage"
    entity = "volume_types"
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
            "True lets all projects use it, false only those listed in projects.",
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
    async def new(cls, ctx: Context, props: Mapping[str, Any]) -> Object:
        return {
            "name": props["name"],
            "os-volume-type-access:is_public": props["is_public"],
            **({"description": props["description"]} if props["description"] is not None else {}),
            **({"extra_specs": texts(props["metadata"])} if props["metadata"] else {}),
        }

    @classmethod
    def likeness(cls, body: Object) -> dict[str, str]:
        return {"is_public": "None"}

    @classmethod
    def resembles(cls, shown: Object, body: Object) -> bool:
        return bool(shown.get("name") == body["name"])

    @classmethod
    async def furnish(cls, ctx: Context, cloud: CloudServices, props: Mapping[str, Any]) -> None:
        await _grant(ctx, cloud, props["projects"])

    @classmethod
    async def change(cls, ctx: Context, props: Mapping[str, Any], changed: frozenset[str]) -> Object:
        return {name: props[name] for name in ("name", "description", "is_public") if name in changed}

    @classmethod
    async def adjust(
        cls, ctx: Context, cloud: CloudServices, props: Mapping[str, Any], changed: frozenset[str]
    ) -> None:
        if "metadata" in changed:
            await cls._specify(ctx, cloud, props["metadata"] or {})
        # One that is public is granted to nobody by name.
        if not props["is_public"] and changed & {"projects", "is_public"}:
            await _refuse(ctx, cloud, ctx.properties["projects"], but=props["projects"])
            await _grant(ctx, cloud, props["projects"])

    @classmethod
    async def _specify(cls, ctx: Context, cloud: CloudServices, metadata: Mapping[str, Any]) -> None:
        path = (*cls.collection, str(ctx.physical_id), "extra_specs")
        if metadata:
            await cloud.ask(cls.api, "POST", *path, body={"extra_specs": texts(metadata)})
        for name in sorted(set(ctx.properties["metadata"] or {}) - set(metadata)):
            with suppress(NotFound):
                await cloud.ask(cls.api, "DELETE", *path, name)


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
    await cloud.ask("volume", "POST", "types", str(ctx.physical_id), "action", body=action)
