"""What all changing use cases share."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Engine, func, select
from sqlalchemy.exc import IntegrityError

from calor.clouds.errors import CloudError
from calor.engine import definitions
from calor.engine.events import stack_event_row
from calor.engine.ids import new_id
from calor.engine.vault import Vault
from calor.language.definition import Definition
from calor.language.diagnostics import Diagnostic, Report, Severity
from calor.language.library import World
from calor.language.parameters import StackIdentity
from calor.service.caller import Caller
from calor.service.errors import Invalid, ServiceError, StackExists
from calor.service.remote_checks import check_remote_stacks
from calor.store import contents, records, tables
from calor.store.database import reading, seal_of
from calor.store.sealing import Seal
from calor.store.writer import Changes, Writer

STACK_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9_.-]{0,254}\Z")

Doorbell = Callable[[], None]
"""Tells the engine that there is work."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What an operator allows; None is no limit."""

    stacks_per_project: int | None = None
    resources_per_stack: int | None = None


@dataclass(frozen=True, slots=True)
class NewStack:
    """A request to create a stack. `request` has the template, files, environment, environment_files and
    parameters, as the language takes them."""

    name: str
    request: Mapping[str, Any]
    disable_rollback: bool = True
    timeout_mins: int | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StackChange:
    """A request to update a stack. What is None stays as it is."""

    request: Mapping[str, Any]
    existing: bool = False
    clear_parameters: tuple[str, ...] = ()
    disable_rollback: bool | None = None
    timeout_mins: int | None = None
    tags: tuple[str, ...] | None = None
    converge: bool = False


TypeCheck = Callable[[Caller, Iterable[str]], None]
"""Raises when a caller may not use one of the resource types."""


def _any_type(caller: Caller, types: Iterable[str]) -> None:
    """No type is kept from anybody."""


@dataclass(slots=True)
class Base:
    """What the commands work with, and how they start an action."""

    database: Engine
    writer: Writer
    world: World
    ring: Doorbell
    limits: Limits = field(default_factory=Limits)
    clock: Callable[[], float] = time.time
    check_types: TypeCheck = _any_type
    vault: Vault | None = None

    def create_row(self, caller: Caller, new: NewStack, action: str, run: dict[str, Any]) -> records.Stack:
        """Makes a stack, IN_PROGRESS, for the engine to walk. Raises ServiceError."""
        if not STACK_NAME.match(new.name):
            message = (
                f"Invalid stack name {new.name}: it must begin with a letter and have at most 255 letters, digits, "
                "underscores, dots and hyphens"
            )
            raise ServiceError("StackValidationFailed", message)
        self.check_free(caller, new.name)
        id = new_id()
        definition = self.define(new.request, StackIdentity(new.name, id, caller.project))
        self.check_types(caller, set(types_of(definition)))
        if self.vault is not None and caller.token:
            check_remote_stacks(self.vault, caller, definition)
        self.check_size(definition)
        digest, bodies = definitions.encode(new.request, self.seal_for(new.request, definition))
        now = self.clock()
        secret = self._deposit(caller)
        credentials = new_id() if secret is not None else None
        stack = records.Stack(
            id=id,
            name=new.name,
            project=caller.project,
            root=id,
            parent=None,
            parent_resource=None,
            depth=0,
            action=action,
            status="IN_PROGRESS",
            reason=f"Stack {action} started",
            created_at=now,
            updated_at=None,
            deleted_at=None,
            definition=digest,
            previous=None,
            description=definition.template.description,
            disable_rollback=new.disable_rollback,
            timeout_mins=new.timeout_mins,
            username=caller.username,
            user_project=None,
            credentials=credentials,
            tags=list(new.tags),
            outputs=None,
            run_id=new_id(),
            run=run,
        )
        changes = Changes(sealed=stack.sealed)
        changes.insert(tables.stack, **records.as_row(stack))
        if secret is not None:
            changes.insert(tables.credentials, id=credentials, project=caller.project, secret=secret)
        for tag in dict.fromkeys(new.tags):
            changes.insert(tables.tag, stack=id, tag=tag)
        self.note(changes, stack)
        changes.then(lambda connection: contents.put(connection, bodies))
        try:
            self.writer.write(changes)
        except Exception as error:
            if secret is not None and self.vault is not None:
                self.vault.destroy(secret)
            # Two requests for the same name may have come at once: the database takes one of them.
            if isinstance(error, IntegrityError):
                self.check_free(caller, new.name)
            raise
        self.ring()
        return stack

    def _deposit(self, caller: Caller) -> bytes | None:
        """What lets the engine act for the caller later on."""
        if self.vault is None or not caller.token:
            return None
        try:
            return self.vault.deposit(caller.token, caller.trust_id)
        except CloudError as error:
            raise ServiceError("Forbidden", f"No trust could be made for the stack: {error}") from None

    def updated(self, stack: records.Stack, change: StackChange) -> dict[str, Any]:
        """The request for an update: a whole one, or one laid over what the stack has."""
        if not change.existing:
            return dict(change.request)
        with reading(self.database).connect() as connection:
            before = definitions.load(connection, stack.definition)
        given = change.request
        parameters = {**before["parameters"], **(given.get("parameters") or {})}
        for name in change.clear_parameters:
            parameters.pop(name, None)
        return {
            "template": given.get("template") or before["template"],
            "files": {**before["files"], **(given.get("files") or {})},
            "environment": _merged(before["environment"], given.get("environment") or {}),
            "environment_files": given.get("environment_files") or before["environment_files"],
            "parameters": parameters,
        }

    def define(self, request: Mapping[str, Any], identity: StackIdentity) -> Definition:
        definition, report = definitions.define(request, self.world, identity)
        errors = blocking(report)
        if errors or definition is None:
            raise Invalid.of(errors or list(report))
        return definition

    def seal_for(
        self, request: Mapping[str, Any], definition: Definition, stack: records.Stack | None = None
    ) -> Seal | None:
        """What a definition has to be encrypted with, if it has secrets or is to be that of a sealed stack."""
        seal = seal_of(self.database)
        if seal is None or seal.everything or (stack is not None and stack.sealed):
            return seal
        return seal if definitions.has_secrets(request, definition) else None

    def check_size(self, definition: Definition) -> None:
        allowed = self.limits.resources_per_stack
        if allowed is not None and count(definition) > allowed:
            raise ServiceError("RequestLimitExceeded", f"Maximum resources per stack exceeded: {allowed}.")

    def check_free(self, caller: Caller, name: str) -> None:
        with reading(self.database).connect() as connection:
            if self._live(connection, caller.project, name):
                raise StackExists(name)
            allowed = self.limits.stacks_per_project
            if allowed is None or caller.is_admin:
                return
            table = tables.stack
            query = select(func.count()).where(
                table.c.project == caller.project, table.c.parent.is_(None), table.c.deleted_at.is_(None)
            )
            if connection.execute(query).scalar_one() >= allowed:
                message = f"You have reached the maximum stacks per tenant, {allowed}."
                raise ServiceError("RequestLimitExceeded", message)

    @staticmethod
    def _live(connection: Connection, project: str, name: str) -> list[str]:
        table = tables.stack
        query = select(table.c.id).where(
            table.c.project == project,
            table.c.name == name,
            table.c.deleted_at.is_(None),
            table.c.parent.is_(None),
        )
        return list(connection.execute(query).scalars())

    def start(
        self, stack: records.Stack, action: str, bodies: Mapping[str, bytes] | None = None, **values: Any
    ) -> records.Stack:
        """Starts an action: answers when the stack is IN_PROGRESS for all to see."""
        started = records.changed(
            stack,
            action=action,
            status="IN_PROGRESS",
            reason=f"Stack {action} started",
            updated_at=self.clock(),
            run_id=new_id(),
            **values,
        )
        bodies = dict(bodies or {})
        if started.sealed or stack.sealed:
            started = self._sealed_throughout(started, bodies)
        changes = Changes(sealed=started.sealed)
        row = dict(records.as_row(started))
        del row["id"]
        changes.update(tables.stack, stack.id, **row)
        if "tags" in values:
            changes.then(lambda connection: _replace_tags(connection, stack.id, values["tags"]))
        self.note(changes, started)
        if bodies:
            changes.then(lambda connection: contents.put(connection, bodies))
        self.writer.write(changes)
        self.ring()
        return started

    def _sealed_throughout(self, stack: records.Stack, bodies: dict[str, bytes]) -> records.Stack:
        """Once a stack is sealed it stays so wherever it goes: it may lead back to a definition from before, while
        its resources still have secrets."""
        plain = {
            name: digest
            for name in ("definition", "previous")
            if (digest := getattr(stack, name)) is not None and not contents.is_sealed(digest)
        }
        with reading(self.database).connect() as connection:
            for name, digest in plain.items():
                request = definitions.load(connection, digest)
                sealed, documents = definitions.encode(request, seal_of(self.database))
                bodies.update(documents)
                stack = records.changed(stack, **{name: sealed})
        return stack

    def note(self, changes: Changes, stack: records.Stack) -> None:
        """The stack's own event."""
        changes.insert(tables.event, **stack_event_row(stack, self.clock()))


def blocking(report: Report) -> list[Diagnostic]:
    """The errors for which a server refuses a template, in Heat's order: as they were found."""
    return [found for found in report if found.severity is Severity.ERROR and not found.deferred]


def types_of(definition: Definition) -> Iterator[str]:
    """The types of a stack's resources and of those below it, templates aside."""
    for resource in definition.resources.values():
        if isinstance(resource.found, type):
            yield resource.found.type_name
        if resource.child is not None:
            yield from types_of(resource.child)


def count(definition: Definition) -> int:
    """The resources of a stack and of all below it."""
    return len(definition.resources) + sum(
        count(resource.child) for resource in definition.resources.values() if resource.child is not None
    )


def _merged(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    made = dict(before)
    for section, content in after.items():
        old = made.get(section)
        made[section] = {**old, **content} if isinstance(old, dict) and isinstance(content, dict) else content
    return made


def _replace_tags(connection: Connection, stack: str, tags: list[str]) -> None:
    connection.execute(tables.tag.delete().where(tables.tag.c.stack == stack))
    if tags:
        connection.execute(tables.tag.insert(), [{"stack": stack, "tag": tag} for tag in dict.fromkeys(tags)])
