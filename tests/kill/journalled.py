"""A service that keeps its objects in a journal, and a resource type for them: a plug-in for servers to be killed.

Every effect is one line, written at once and synced: it is there or not, whenever a process is killed. An object
has an id of its own, so that one made twice shows.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from calor.language.schema import SHOW, Attribute, Property
from calor.resources.context import Context
from calor.resources.contract import ResourceType
from calor.resources.outcomes import ResourceFailed

JOURNAL = "CALOR_TEST_JOURNAL"
"""The environment variable that names the journal."""


@dataclass(slots=True)
class Thing:
    """An object of the service: the resource it was made for, and the values it has had."""

    resource: str
    values: list[str]
    deleted: bool = False


class Service:
    def __init__(self, journal: Path) -> None:
        self.journal = journal

    def things(self) -> dict[str, Thing]:
        found: dict[str, Thing] = {}
        for line in self.journal.read_text().splitlines() if self.journal.exists() else ():
            what, id, detail, value = line.split(" ")
            if what == "create":
                found[id] = Thing(detail, [value])
            elif what == "update":
                found[id].values.append(value)
            else:
                found[id].deleted = True
        return found

    def made_for(self, resource: str) -> str | None:
        there = [id for id, thing in self.things().items() if thing.resource == resource]
        return there[0] if there else None

    def create(self, resource: str, value: str) -> str:
        id = str(uuid4())
        self._write("create", id, resource, value)
        return id

    def update(self, id: str, value: str) -> None:
        if self.things()[id].values[-1] != value:
            self._write("update", id, "-", value)

    def delete(self, id: str) -> None:
        """What is gone is fine."""
        if not self.things()[id].deleted:
            self._write("delete", id, "-", "-")

    def _write(self, *words: str) -> None:
        file = os.open(self.journal, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(file, (" ".join(words) + "\n").encode())
        os.fsync(file)
        os.close(file)


class Journalled(ResourceType, extends=True):
    """An object of the service. Takes its time before and after each effect, and fails when told to."""

    type_name = "Test::Journalled"
    properties = {
        "value": Property(str, update_allowed=True, default="-"),
        "fixed": Property(str, default=""),
        "fails": Property(str, update_allowed=True, default=""),
        "seconds": Property(float, update_allowed=True, default=0.04),
    }
    attributes = {"value": Attribute(str), "show": SHOW}

    @staticmethod
    def _things() -> Service:
        return Service(Path(os.environ[JOURNAL]))

    @classmethod
    async def create(cls, ctx: Context, props: Mapping[str, Any]) -> None:
        await ctx.sleep(props["seconds"])
        id = cls._things().create(ctx.id, props["value"])
        await ctx.sleep(props["seconds"])
        await cls._settle(ctx, id, props)

    @classmethod
    async def find(cls, ctx: Context) -> bool:
        id = cls._things().made_for(ctx.id)
        if id is not None:
            await cls._settle(ctx, id, ctx.properties)
        return id is not None

    @classmethod
    async def _settle(cls, ctx: Context, id: str, props: Mapping[str, Any]) -> None:
        ctx.set_physical_id(id)
        await ctx.sleep(props["seconds"])
        if ctx.action == "CREATE" and props["fails"] == "create":
            raise ResourceFailed("told to fail")

    @classmethod
    async def update(cls, ctx: Context, props: Mapping[str, Any], changed: frozenset[str]) -> None:
        assert ctx.physical_id is not None
        await ctx.sleep(props["seconds"])
        if "value" in changed:
            cls._things().update(ctx.physical_id, props["value"])
        await ctx.sleep(props["seconds"])
        if props["fails"] == "update":
            raise ResourceFailed("told to fail")

    @classmethod
    async def delete(cls, ctx: Context) -> None:
        if ctx.physical_id is not None:
            await ctx.sleep(0.01)
            cls._things().delete(ctx.physical_id)
            await ctx.sleep(0.01)

    @classmethod
    def attribute(cls, ctx: Context, name: str) -> Any:
        return ctx.properties["value"] if name == "value" else None
