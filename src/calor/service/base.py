"""What all changing use cases share."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, Row, func, select
from sqlalchemy.exc import IntegrityError

from calor.clouds.errors import CloudError
from calor.clouds.services import Services
from calor.engine import definitions
from calor.engine.events import stack_event_row
from calor.engine.ids import new_id
from calor.engine.vault import Vault
from calor.engine.watching import ORIGIN
from calor.language.definition import Definition, ResourceDefinition
from calor.language.diagnostics import Diagnostic, Report
from calor.language.library import TemplateType, World
from calor.language.parameters import StackIdentity
from calor.observe import fields
from calor.service.availability import (
    Extensions,
    check_available,
    check_extensions,
    extended,
    lacking_extensions,
)
from calor.service.caller import Caller
from calor.service.changes import laid_over
from calor.service.deposits import Renewal, deposit, renewal, take_back
from calor.service.errors import Invalid, NotFound, NotSupported, ServiceError, StackExists
from calor.service.external_ids import Eyes, check_external_ids
from calor.service.file_containers import kept_files
from calor.service.live_constraints import LiveConstraints
from calor.service.remote_checks import check_remote_stacks
from calor.store import contents, records, sealing, tables
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
    snapshots_per_stack: int | None = None
    configs_per_project: int | None = None
    deployments_per_project: int | None = None
    preview_seconds: float = 60.0
    """How long a plan may take."""


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


Condition = Callable[[records.Stack, Row[Any]], None]
"""Raises ServiceError if a stack, as it was seen and as it is by now, must not be changed."""

TypeCheck = Callable[[Caller, Iterable[str]], None]
"""Raises when a caller may not use one of the resource types."""


TypesDenied = Callable[[Caller], list[str]]
"""The types that a caller may not use."""


def _any_type(caller: Caller, types: Iterable[str]) -> None:
    """No type is kept from anybody."""


def _none_denied(caller: Caller) -> list[str]:
    return []


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
    types_denied: TypesDenied = _none_denied
    vault: Vault | None = None

    def create_row(self, caller: Caller, new: NewStack, action: str, run: dict[str, Any]) -> records.Stack:
        """Makes a stack, IN_PROGRESS, for the engine to walk. Raises ServiceError."""
        # Where a token is for, there the cloud makes things with it, also for an admin who says another project.
        caller = caller.at_home()
        check_name(new.name)
        self.check_free(caller, new.name)
        id = new_id()
        definition = self.define(caller, new.request, StackIdentity(new.name, id, caller.project))
        if self.vault is not None and caller.token:
            check_remote_stacks(self.vault, caller, definition)
        request = self.accepted(caller, new.request, definition)
        digest, bodies = definitions.encode(request, self.seal_for(request, definition))
        now = self.clock()
        secret = deposit(self.vault, caller)
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
            run=_from_here(run),
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
            take_back(self.vault, secret)
            # Two requests for the same name may have come at once: the database takes one of them.
            if isinstance(error, IntegrityError):
                self.check_free(caller, new.name)
            raise
        self.ring()
        return stack

    def updated(self, stack: records.Stack, change: StackChange) -> dict[str, Any]:
        """The request for an update: a whole one, or one laid over what the stack has."""
        if not change.existing:
            return dict(change.request)
        with reading(self.database).connect() as connection:
            before = definitions.load(connection, stack.definition)
        return laid_over(before, change.request, change.clear_parameters, self.world)

    def check_named_types(self, caller: Caller, types: Sequence[str]) -> None:
        """Raises ServiceError if the caller may not use one of the types, or its service is not there."""
        self.check_types(caller, types)
        check_available(self.world, caller, types, to_be_made=True)
        self.check_extensions(caller, types)

    def check_extensions(self, caller: Caller, types: Sequence[str]) -> None:
        """Raises ServiceError if a service lacks the extension that one of the types needs."""
        needing = extended(self.world, types)
        if needing:
            check_extensions(needing, self._extensions(caller))

    def without_extension(self, caller: Caller, types: Sequence[str]) -> frozenset[str]:
        """Those of the types that cannot be used for want of an extension."""
        needing = extended(self.world, types)
        lacking = lacking_extensions(needing, self._extensions(caller)) if needing else ()
        return frozenset(one.type_name for one in lacking)

    def _extensions(self, caller: Caller) -> Extensions | None:
        """What tells which extensions there are; None where there is nobody to ask."""
        services = self.services_of(caller)
        if self.vault is None or services is None:
            return None
        return partial(self.vault.reach.lookups.extensions, services)

    def define(self, caller: Caller, request: Mapping[str, Any], identity: StackIdentity) -> Definition:
        """What a request asks for. Raises ServiceError if something is wrong with it, if it asks for too much, if the
        caller may not use one of the types, or if a service that it needs is not there."""
        live = self._live_constraints(caller)
        world = replace(self.world, max_resources=self.limits.resources_per_stack)
        if live is not None:
            world = replace(world, custom=live, availability_zones=live.zones)
        definition, report = definitions.define(request, world, identity)
        errors = blocking(report)
        if errors or definition is None:
            raise Invalid.of(errors or list(report))
        self.check_size(definition)
        self.check_named_types(caller, list(dict.fromkeys(types_of(definition))))
        if live is not None:
            live.check_services()
        check_external_ids(definition, lambda: self._eyes(caller, identity.project))
        return definition

    def accepted(self, caller: Caller, request: Mapping[str, Any], definition: Definition) -> dict[str, Any]:
        """A request as it is stored: with the templates that were fetched for it, and with the types that the caller
        may not use, for stacks below that nobody can know before they are made."""
        files = {**definition.library.fetched, **(request.get("files") or {})}
        denied = self.types_denied(caller) if any(map(_has_below, definition.resources.values())) else []
        return {**request, "files": files, definitions.DENIED: denied}

    def _eyes(self, caller: Caller, project: str) -> Eyes:
        return Eyes(self.database, project, self.services_of(caller), self.vault, caller.token)

    def _live_constraints(self, caller: Caller) -> LiveConstraints | None:
        """What looks things up for a caller; None where there is nobody to ask."""
        services = self.services_of(caller)
        if self.vault is None or services is None:
            return None
        return LiveConstraints(services, self.vault.reach.lookups, self.world.custom)

    def services_of(self, caller: Caller) -> Services | None:
        """The services of the caller's cloud; None where there is nobody to ask."""
        if self.vault is None or not caller.token:
            return None
        try:
            return self.vault.services_for(caller.token)
        except CloudError as error:
            raise ServiceError("HTTPServiceUnavailable", f"The cloud cannot be asked: {error}") from None

    def files_in(self, caller: Caller, container: str, given: Mapping[str, Any], most: int) -> dict[str, Any]:
        """The given files, and those of a container of the object store that are not among them; see
        `file_containers`. Raises ServiceError."""
        services = self.services_of(caller)
        if services is None:
            raise NotSupported("files_container, where there is no object store, is not supported.")
        return {**kept_files(services, container, given, most), **given}

    def seal_for(
        self, request: Mapping[str, Any], definition: Definition, stack: records.Stack | None = None
    ) -> Seal | None:
        """What a definition has to be encrypted with, if it has secrets or is to be that of a sealed stack."""
        seal = seal_of(self.database)
        if seal is None or seal.everything or (stack is not None and stack.sealed):
            return seal
        return seal if definitions.has_secrets(request, definition) else None

    def deadline(self, clock: Callable[[], float] = time.monotonic) -> Callable[[], None]:
        """What raises ServiceError once a plan takes too long, from now on."""
        allowed = self.limits.preview_seconds
        end = clock() + allowed

        def go_on() -> None:
            if clock() > end:
                raise ServiceError(
                    "RequestLimitExceeded", f"The preview takes longer than {allowed:g} seconds."
                )

        return go_on

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

    def check_count(self, allowed: int | None, message: str, which: ColumnElement[bool]) -> None:
        """Raises ServiceError if there are as many rows of a kind as are allowed."""
        if allowed is None:
            return
        with reading(self.database).connect() as connection:
            if connection.execute(select(func.count()).where(which)).scalar_one() >= allowed:
                raise ServiceError("RequestLimitExceeded", f"{message}, {allowed}.")

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

    def check_whole(self, stack: records.Stack) -> None:
        """Raises NotSupported for a stack that is part of another."""
        if not stack.is_root:
            raise NotSupported(f"Changing {stack.name} apart from the stack it is part of is not supported.")

    def start(
        self,
        caller: Caller,
        stack: records.Stack,
        action: str,
        bodies: Mapping[str, bytes] | None = None,
        also: Changes | None = None,
        only_if: Condition | None = None,
        **values: Any,
    ) -> records.Stack:
        """Starts an action: answers when the stack is IN_PROGRESS for all to see, and `also` is written. Raises
        NotSupported for a stack that is part of another, whose action it has to be, and what `only_if` raises of the
        stack as it is then."""
        self.check_whole(stack)
        renewed = renewal(self.vault, self.database, caller, stack, action)
        values["run"] = _from_here(values.get("run", stack.run))
        started = records.changed(
            stack,
            action=action,
            status="IN_PROGRESS",
            reason=f"Stack {action} started",
            updated_at=self.clock(),
            run_id=new_id(),
            **values,
        )
        documents = dict(bodies or {})
        if started.sealed or stack.sealed:
            started = self._sealed_throughout(started, documents)
        changes = also or Changes()
        changes.sealed = started.sealed
        self.note(changes, started)
        changes.then(lambda connection: _change(connection, stack, started, only_if))
        if "tags" in values:
            changes.then(lambda connection: _replace_tags(connection, stack.id, values["tags"]))
        if stack.state == "SNAPSHOT_IN_PROGRESS":
            changes.then(lambda connection: _break_off_snapshot(connection, stack, action))
        if documents:
            changes.then(lambda connection: contents.put(connection, documents))
        self._write(changes, renewed)
        self.ring()
        return started

    def _write(self, changes: Changes, renewed: Renewal | None) -> None:
        if renewed is None:
            self.writer.write(changes)
            return
        changes.update(tables.credentials, renewed.id, secret=renewed.secret)
        try:
            self.writer.write(changes)
        except Exception:
            take_back(self.vault, renewed.secret)
            raise
        take_back(self.vault, renewed.before)

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


def check_name(name: str) -> None:
    """Raises ServiceError unless a stack can have the name."""
    if not STACK_NAME.match(name):
        message = (
            f"Invalid stack name {name}: it must begin with a letter and have at most 255 letters, digits, "
            "underscores, dots and hyphens"
        )
        raise ServiceError("StackValidationFailed", message)


def blocking(report: Report) -> list[Diagnostic]:
    """The errors for which a server refuses a template, in Heat's order: as they were found."""
    return [found for found in report if found.prevents]


def types_of(definition: Definition) -> Iterator[str]:
    """The types of a stack's resources and of those below it, templates aside."""
    for resource in definition.resources.values():
        if isinstance(resource.found, type):
            yield resource.found.type_name
        if resource.child is not None:
            yield from types_of(resource.child)


def count(definition: Definition) -> int:
    """The resources of a stack and of all below it. Of a group, one member may stand for all."""
    return len(definition.resources) + sum(map(_below, definition.resources.values()))


def _has_below(resource: ResourceDefinition) -> bool:
    """Whether a resource is a stack of its own, or will be."""
    return isinstance(resource.found, TemplateType) or (
        resource.found is not None and resource.found.nested_stack
    )


def _below(resource: ResourceDefinition) -> int:
    if resource.child is None:
        return 0
    present = len(resource.child.resources)
    members = resource.found.member_count(resource.values) if isinstance(resource.found, type) else present
    return count(resource.child) * max(members, present) // max(present, 1)


def _replace_tags(connection: Connection, stack: str, tags: list[str]) -> None:
    connection.execute(tables.tag.delete().where(tables.tag.c.stack == stack))
    if tags:
        connection.execute(tables.tag.insert(), [{"stack": stack, "tag": tag} for tag in dict.fromkeys(tags)])


def locked(connection: Connection, seen: records.Stack) -> Row[Any]:
    """A stack's action, status and run as they are, and stay until the transaction ends. Raises NotFound."""
    table = tables.stack
    columns: list[Any] = [table.c.action, table.c.status, table.c.run_id, table.c.deleted_at]
    present = connection.execute(
        select(*columns).where(table.c.id == seen.id).with_for_update()
    ).one_or_none()
    if present is None or present.deleted_at is not None:
        raise NotFound("Stack", seen.name)
    return present


def _change(
    connection: Connection, seen: records.Stack, wanted: records.Stack, only_if: Condition | None
) -> None:
    """Changes a stack from what was seen of it to what it shall be, unless it began to go meanwhile. Nothing else is
    written: an engine may have changed it, too."""
    table = tables.stack
    present = locked(connection, seen)
    if only_if is not None:
        only_if(seen, present)
    if present.action == "DELETE" and wanted.action != "DELETE":
        raise NotSupported(f"{wanted.action} of a stack that is being deleted is not supported.")
    before = records.as_row(seen)
    stated = ("action", "status", "reason", "run")
    values = {
        name: value
        for name, value in records.as_row(wanted).items()
        if name in stated or value != before[name]
    }
    [row] = sealing.protect(connection, table, [values], wanted.sealed)
    connection.execute(table.update().where(table.c.id == seen.id).values(row))


def _from_here(run: Mapping[str, Any]) -> dict[str, Any]:
    """What a run is to know, with the request that it comes from."""
    known = {name: value for name, value in run.items() if name != ORIGIN}
    origin = fields.origin()
    return {**known, ORIGIN: origin} if origin else known


def _break_off_snapshot(connection: Connection, stack: records.Stack, action: str) -> None:
    """A snapshot that another action overtakes will never be complete."""
    table = tables.snapshot
    unfinished = table.c.id == stack.run.get("snapshot"), table.c.status == "IN_PROGRESS"
    values = {"status": "FAILED", "reason": f"Stack {action} started"}
    [row] = sealing.protect(connection, table, [values], stack.sealed)
    connection.execute(table.update().where(*unfinished).values(row))
