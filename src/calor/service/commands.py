"""What changes stacks. A change is answered when it is written down: the engine then does the work."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Engine, func, select

from calor.engine import definitions
from calor.engine.ids import new_id
from calor.engine.runs import STACK_TYPE
from calor.language.definition import Definition
from calor.language.diagnostics import Diagnostic, Report, Severity
from calor.language.library import World
from calor.language.parameters import StackIdentity
from calor.service.caller import Caller
from calor.service.errors import Invalid, NotFound, NotSupported, ServiceError, StackExists
from calor.store import contents, records, tables
from calor.store.database import reading
from calor.store.writer import Changes, Writer

STACK_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9_.-]{0,254}\Z")

_ACTIONS = {"suspend": "SUSPEND", "resume": "RESUME", "check": "CHECK"}

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


@dataclass(slots=True)
class Commands:
    """The changing use cases."""

    database: Engine
    writer: Writer
    world: World
    ring: Doorbell
    limits: Limits = field(default_factory=Limits)
    clock: Callable[[], float] = time.time

    def create_stack(self, caller: Caller, new: NewStack) -> records.Stack:
        """Makes a stack row, IN_PROGRESS, for the engine to walk. Raises ServiceError."""
        if not STACK_NAME.match(new.name):
            message = (
                f"Invalid stack name {new.name}: it must begin with a letter and have at most 255 letters, digits, "
                "underscores, dots and hyphens"
            )
            raise ServiceError("StackValidationFailed", message)
        self._check_free(caller, new.name)
        id = new_id()
        definition = self._define(new.request, StackIdentity(new.name, id, caller.project))
        self._check_size(definition)
        digest, bodies = definitions.encode(new.request)
        now = self.clock()
        stack = records.Stack(
            id=id,
            name=new.name,
            project=caller.project,
            root=id,
            parent=None,
            parent_resource=None,
            depth=0,
            action="CREATE",
            status="IN_PROGRESS",
            reason="Stack CREATE started",
            created_at=now,
            updated_at=None,
            deleted_at=None,
            definition=digest,
            previous=None,
            description=definition.template.description,
            disable_rollback=new.disable_rollback,
            timeout_mins=new.timeout_mins,
            deadline=None,
            username=caller.username,
            user_project=None,
            credentials=None,
            tags=list(new.tags),
            outputs=None,
            run_id=new_id(),
            run={},
        )
        changes = Changes()
        changes.insert(tables.stack, **records.as_row(stack))
        for tag in dict.fromkeys(new.tags):
            changes.insert(tables.tag, stack=id, tag=tag)
        self._note(changes, stack)
        changes.then(lambda connection: contents.put(connection, bodies))
        changes.then(lambda connection: self._still_free(connection, stack))
        self.writer.write(changes)
        self.ring()
        return stack

    def delete_stack(self, caller: Caller, stack: records.Stack) -> None:
        """Marks a stack for deletion. Raises ServiceError."""
        if stack.deleted_at is not None:
            raise NotFound("Stack", stack.name)
        self._start(stack, "DELETE", run={})

    def update_stack(self, caller: Caller, stack: records.Stack, change: StackChange) -> records.Stack:
        """Gives a stack a new definition to become. Raises ServiceError."""
        if stack.action in ("SUSPEND", "DELETE"):
            raise NotSupported(f"Updating a stack when it is {stack.action.lower()}ed is not supported.")
        request = self._updated(stack, change)
        definition = self._define(request, StackIdentity(stack.name, stack.id, stack.project))
        self._check_size(definition)
        digest, bodies = definitions.encode(request)
        values: dict[str, Any] = {
            "definition": digest,
            "description": definition.template.description,
            "run": {},
        }
        if change.disable_rollback is not None:
            values["disable_rollback"] = change.disable_rollback
        if change.timeout_mins is not None:
            values["timeout_mins"] = change.timeout_mins
        tags = change.tags if change.tags is not None else () if not change.existing else None
        if tags is not None:
            values["tags"] = list(tags)
        return self._start(stack, "UPDATE", bodies=bodies, **values)

    def act(self, caller: Caller, stack: records.Stack, verb: str) -> None:
        """Starts one of the actions on what is there, or stops the one under way. Raises ServiceError."""
        if stack.deleted_at is not None:
            raise NotFound("Stack", stack.name)
        if verb in _ACTIONS:
            action = _ACTIONS[verb]
            if stack.state != f"{action}_COMPLETE" or action == "CHECK":
                self._start(stack, action, run={})
        elif verb == "cancel_update":
            if stack.state != "UPDATE_IN_PROGRESS":
                raise NotSupported(f"Cancelling update when stack is {stack.state} is not supported.")
            definition = stack.previous or stack.definition
            self._start(
                stack, "ROLLBACK", definition=definition, run={} if stack.previous else {"empty": True}
            )
        elif verb == "cancel_without_rollback":
            if stack.state not in ("UPDATE_IN_PROGRESS", "CREATE_IN_PROGRESS"):
                raise NotSupported(f"Cancelling when stack is {stack.state} is not supported.")
            self._halt(stack)
        else:
            raise ServiceError("HTTPBadRequest", f"Invalid action {verb} specified")

    def _halt(self, stack: records.Stack) -> None:
        """Ends the action under way where it is."""
        ended = records.changed(
            stack, status="FAILED", reason=f"User cancelled stack {stack.action}", run_id=new_id(), run={}
        )
        changes = Changes()
        changes.update(
            tables.stack, stack.id, status=ended.status, reason=ended.reason, run_id=ended.run_id, run={}
        )
        self._note(changes, ended)
        self.writer.write(changes)
        self.ring()

    def signal(
        self, caller: Caller, stack: records.Stack, resource: records.Resource, details: dict[str, Any] | None
    ) -> None:
        """Puts a signal into the engine's inbox. Raises ServiceError."""
        if resource.action in ("SUSPEND", "DELETE"):
            raise NotSupported(f"Signal resource during {resource.action} is not supported.")
        changes = Changes()
        changes.insert(
            tables.inbox,
            id=new_id(),
            seq=self.clock(),
            root=stack.root,
            stack=stack.id,
            resource=resource.name,
            details=details,
        )
        self.writer.write(changes)
        self.ring()

    def mark_unhealthy(
        self,
        caller: Caller,
        stack: records.Stack,
        resource: records.Resource,
        unhealthy: bool,
        reason: str | None,
    ) -> None:
        """Marks a resource for replacement by the next update, or takes the mark back."""
        if not unhealthy and resource.state != "CHECK_FAILED":
            return
        status = "FAILED" if unhealthy else "COMPLETE"
        given = reason or ("state changed by resource_mark_unhealthy api" if unhealthy else "")
        changes = Changes()
        values = {"action": "CHECK", "status": status, "reason": given, "updated_at": self.clock()}
        changes.update(tables.resource, resource.id, **values)
        changes.insert(
            tables.event,
            id=new_id(),
            stack=stack.id,
            root=stack.root,
            resource=resource.name,
            type=resource.type,
            physical_id=resource.physical_id,
            action="CHECK",
            status=status,
            reason=given,
            at=self.clock(),
            properties=None,
        )
        self.writer.write(changes)

    # What the use cases share.

    def _updated(self, stack: records.Stack, change: StackChange) -> dict[str, Any]:
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

    def _define(self, request: Mapping[str, Any], identity: StackIdentity) -> Definition:
        definition, report = definitions.define(request, self.world, identity)
        errors = blocking(report)
        if errors or definition is None:
            raise Invalid.of(errors or list(report))
        return definition

    def _check_size(self, definition: Definition) -> None:
        allowed = self.limits.resources_per_stack
        if allowed is not None and count(definition) > allowed:
            raise ServiceError("RequestLimitExceeded", f"Maximum resources per stack exceeded: {allowed}.")

    def _check_free(self, caller: Caller, name: str) -> None:
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

    def _still_free(self, connection: Connection, stack: records.Stack) -> None:
        """Two requests for the same name may have come at once: the second one loses."""
        if any(id != stack.id for id in self._live(connection, stack.project, stack.name)):
            raise StackExists(stack.name)

    def _start(
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
        changes = Changes()
        row = dict(records.as_row(started))
        del row["id"]
        changes.update(tables.stack, stack.id, **row)
        if "tags" in values:
            changes.then(lambda connection: _replace_tags(connection, stack.id, values["tags"]))
        self._note(changes, started)
        if bodies:
            changes.then(lambda connection: contents.put(connection, bodies))
        self.writer.write(changes)
        self.ring()
        return started

    def _note(self, changes: Changes, stack: records.Stack) -> None:
        """The stack's own event."""
        changes.insert(
            tables.event,
            id=new_id(),
            stack=stack.id,
            root=stack.root,
            resource=stack.name,
            type=STACK_TYPE,
            physical_id=stack.id,
            action=stack.action,
            status=stack.status,
            reason=stack.reason,
            at=self.clock(),
            properties=None,
        )


def blocking(report: Report) -> list[Diagnostic]:
    """The errors for which a server refuses a template, in Heat's order: as they were found."""
    return [found for found in report if found.severity is Severity.ERROR and not found.deferred]


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
