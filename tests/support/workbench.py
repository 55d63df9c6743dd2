"""A whole engine on a database of its own, for scenarios."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, cast

from sqlalchemy import select

from calor.clouds.signing import KeyPair
from calor.clouds.stack_users import StackUser
from calor.engine.keeping.keeper import Keeper
from calor.engine.run.users import Addresses, UserServices
from calor.language.schema import SHOW, Attribute, Property
from calor.resources.contract import ResourceType
from calor.service.caller import Caller
from calor.service.commands import Commands, NewStack, StackChange
from calor.store import database, records, schema, tables
from calor.store.cipher import Cipher
from calor.store.writer import Writer
from calor.types import catalogue
from calor.types.world import offline_world

PATIENCE = 30
CALLER = Caller(user_id="u1", username="ann", project="p1", roles=("member",))


class Probe(ResourceType, extends=True):
    """Keeps a journal of what is done to it, and fails or waits when told to."""

    type_name = "Test::Probe"
    properties = {
        "value": Property(str, update_allowed=True, default=""),
        "fixed": Property(str, default=""),
        "fails": Property(str, update_allowed=True, default=""),
        "seconds": Property(float, update_allowed=True, default=0),
    }
    attributes = {"value": Attribute(str), "show": SHOW}
    journal: ClassVar[list[tuple[str, str, str]]] = []
    broken: ClassVar[bool] = False
    """Whether none can be made."""
    held: ClassVar[bool] = False
    """Whether those that are being made wait."""

    @classmethod
    def note(cls, ctx: Any, action: str, value: str) -> None:
        cls.journal.append((action, ctx.name, value))

    @classmethod
    async def create(cls, ctx: Any, props: Mapping[str, Any]) -> None:
        ctx.set_physical_id(f"{ctx.name}-{ctx.id[:8]}")
        if props["seconds"]:
            await ctx.sleep(props["seconds"])
        while cls.held:
            await ctx.sleep(0.01)
        if props["fails"] == "create" or cls.broken:
            raise RuntimeError("told to fail")
        cls.note(ctx, "create", props["value"])

    @classmethod
    async def update(cls, ctx: Any, props: Mapping[str, Any], changed: frozenset[str]) -> None:
        if props["seconds"]:
            await ctx.sleep(props["seconds"])
        if props["fails"] == "update":
            raise RuntimeError("told to fail")
        cls.note(ctx, "update", props["value"])

    @classmethod
    def delete(cls, ctx: Any) -> None:
        if ctx.properties.get("fails") == "delete":
            raise RuntimeError("told to fail")
        cls.note(ctx, "delete", ctx.properties["value"])

    @classmethod
    def attribute(cls, ctx: Any, name: str) -> Any:
        return ctx.properties["value"] if name == "value" else None


class Accounts:
    """Stands in for the users that an identity service would keep."""

    domain_id = "stack-domain"

    def __init__(self) -> None:
        self.users: set[str] = set()
        self.projects: set[str] = set()

    def create_project(self, project: str, stack: str) -> str:
        made = f"{project}-{stack}"[:64]
        self.projects.add(made)
        return made

    def create_user(self, name: str, project: str, password: str | None = None) -> StackUser:
        self.users.add(name)
        return StackUser(name, name, "secret", project, self.domain_id)

    def create_keys(self, user: str, password: str, project: str) -> KeyPair:
        return KeyPair(f"access-{user}", "secret")

    def enable_user(self, user: str, enabled: bool) -> None: ...

    def delete_user(self, user: str) -> None:
        self.users.discard(user)

    def delete_project(self, project: str) -> None:
        self.projects.discard(project)


class Workbench:
    """Commands and an engine, which runs in a thread until it is stopped or the workbench is closed."""

    def __init__(
        self,
        url: str,
        types: Iterable[type[ResourceType]] = (),
        *,
        seal_all: bool = False,
        waits: bool = False,
    ) -> None:
        """With `waits`, everybody waits for a database that is away."""
        Probe.journal, Probe.held = [], False
        self.url = url
        self.cipher = Cipher(Cipher.new_key())
        self.database = database.connect(self.url, self.cipher, seal_all=seal_all, waits=waits)
        schema.upgrade(self.database)
        own = self.own_types = {one.type_name: one for one in (Probe, *types)}
        self.world = replace(
            offline_world(), declaration=lambda name: own.get(name) or catalogue.declaration(name)
        )
        self.writer = Writer(self.database, patience=None if waits else 5.0)
        self.keeper: Keeper | None = None
        self.commands = Commands(self.database, self.writer, self.world, self._ring)
        self.start()

    def use_database(self, engine: database.Database) -> None:
        """Has requests, but not the engine, use another connection to the database."""
        self.commands = Commands(engine, self.writer, self.world, self._ring)

    # The engine.

    def start(self) -> None:
        """Starts an engine."""
        self.loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        self._ready.wait(PATIENCE)

    def stop(self) -> None:
        """Tells the engine to stop."""
        if self.keeper is not None:
            self.keeper = None
            self.loop.call_soon_threadsafe(self._task.cancel)
            self._thread.join(PATIENCE)

    def crash(self) -> None:
        """The engine does not get to do anything more: its thread stands still for ever."""
        crashed = threading.Event()

        def stand_still() -> None:
            crashed.set()
            threading.Event().wait()

        self.keeper = None
        self.loop.call_soon_threadsafe(stand_still)
        crashed.wait(PATIENCE)

    def _serve(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_until_complete(self._keep())

    async def _keep(self) -> None:
        self.accounts = Accounts()
        addresses = Addresses("http://calor/v1", "http://calor:8000/v1", "http://identity/v3")
        services = UserServices(cast(Any, None), cast(Any, self.accounts), self.cipher, addresses)
        self.keeper = Keeper(self.database, self.world, self.writer, user_services=services, alone=True)
        self._task = asyncio.ensure_future(self.keeper.serve(self._ready.set))
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    def _ring(self) -> None:
        if self.keeper is not None:
            self.loop.call_soon_threadsafe(self.keeper.ring)

    def restart(self) -> None:
        """Ends the engine, and starts another one."""
        self.stop()
        self.start()

    def close(self) -> None:
        self.stop()
        self.writer.close()
        self.database.dispose()

    # What a user does.

    def create(self, template: dict[str, Any], name: str = "s", **options: Any) -> records.Stack:
        request = _request(template, options)
        return self.commands.stacks.create(CALLER, NewStack(name, request, **options))

    def update(self, stack: records.Stack, template: dict[str, Any], **options: Any) -> records.Stack:
        request = _request(template, options)
        return self.commands.stacks.update(CALLER, self.stack(stack.id), StackChange(request, **options))

    def delete(self, stack: records.Stack) -> None:
        self.commands.stacks.delete(CALLER, self.stack(stack.id))

    # What a user sees.

    def stack(self, id: str) -> records.Stack:
        with database.reading(self.database).connect() as connection:
            row = connection.execute(select(tables.stack).where(tables.stack.c.id == id)).one()
        return records.record(records.Stack, row)

    def wait(self, stack: records.Stack) -> records.Stack:
        """The stack when its action has ended."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            current = self.stack(stack.id)
            if current.status != "IN_PROGRESS":
                return current
            time.sleep(0.005)
        raise AssertionError(f"the stack is still {self.stack(stack.id).state}")

    @staticmethod
    def until(condition: Callable[[], bool]) -> None:
        """Returns when something has become true."""
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, "it did not happen"
            time.sleep(0.01)

    def resources(self, stack: records.Stack) -> dict[str, records.Resource]:
        with database.reading(self.database).connect() as connection:
            rows = connection.execute(select(tables.resource).where(tables.resource.c.stack == stack.id))
            return {row.name: records.record(records.Resource, row) for row in rows}

    def events(self, stack: records.Stack) -> list[tuple[str, str]]:
        """Pairs of resource and state, in order."""
        table = tables.event
        with database.reading(self.database).connect() as connection:
            rows = connection.execute(select(table).where(table.c.stack == stack.id).order_by(table.c.seq))
            return [(row.resource, f"{row.action}_{row.status}") for row in rows]

    def reasons(self, stack: records.Stack, name: str) -> list[str]:
        """The reasons of a resource's events, in order."""
        table = tables.event
        query = select(table.c.reason).where(table.c.stack == stack.id, table.c.resource == name)
        with database.reading(self.database).connect() as connection:
            return list(connection.execute(query.order_by(table.c.seq)).scalars())

    def roots(self) -> list[records.Stack]:
        table = tables.stack
        with database.reading(self.database).connect() as connection:
            rows = connection.execute(select(table).where(table.c.parent.is_(None)))
            return [records.record(records.Stack, row) for row in rows]

    def nested(self, stack: records.Stack) -> list[records.Stack]:
        table = tables.stack
        with database.reading(self.database).connect() as connection:
            rows = connection.execute(select(table).where(table.c.parent == stack.id))
            return [records.record(records.Stack, row) for row in rows]


def _request(template: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    parts = ("files", "environment", "environment_files", "parameters")
    return {"template": template, **{part: options.pop(part) for part in parts if part in options}}


def template(resources: dict[str, Any], **sections: Any) -> dict[str, Any]:
    return {"heat_template_version": "2018-08-31", "resources": resources, **sections}


def probe(value: Any = "", **properties: Any) -> dict[str, Any]:
    depends_on = properties.pop("depends_on", None)
    made: dict[str, Any] = {"type": "Test::Probe", "properties": {"value": value, **properties}}
    return {**made, "depends_on": depends_on} if depends_on else made
