"""A resource whose hooks are run as by an engine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

from calor.clouds.errors import Conflict, NotFound
from calor.language.diagnostics import did_you_mean
from calor.plan.decision import decide
from calor.plan.kinds import Decision, Kind
from calor.plan.states import Present, Wanted
from calor.plan.type_facts import has_nested_stack
from calor.resources.contract import Act, ResourceType
from calor.resources.outcomes import NeedsReplacement, ResourceFailed
from calor.resources.values import JsonObject
from calor.testing.cloud import FakeCloud
from calor.testing.context import EngineKilled, FakeContext, run
from calor.testing.properties import properties_of


def resource(kind: type[ResourceType], context: FakeContext | None = None, /, **given: object) -> Resource:
    """A resource with these properties that is not created yet. The other arguments are fields of the context: a cloud,
    other resources, metadata. Raises InvalidProperties."""
    if has_nested_stack(kind) or kind.template_file:
        raise TypeError(
            f"{kind.type_name} has a nested stack, which needs an engine; call its hooks one by one"
        )
    context = context or FakeContext()
    context.type, context.properties = kind, properties_of(kind, **given)
    context.action, context.status = "INIT", "COMPLETE"
    if context.id == FakeContext.id:
        context.id = str(uuid4())
    return Resource(context, given)


@dataclass
class Resource:
    """Errors of hooks are raised, and leave the resource FAILED. An AssertionError means that the type breaks its
    contract, or that an engine would not do what the test requests."""

    context: FakeContext
    """The context for hooks; a new one after the resource was replaced."""
    _given: JsonObject
    _changing: frozenset[str] = frozenset()
    """The properties that a failed update should have changed, which the next one includes."""
    _lost_id: str | None = None
    """The id of the object that was created when the engine was killed."""

    @property
    def kind(self) -> type[ResourceType]:
        return self.context.type

    @property
    def cloud(self) -> FakeCloud:
        return self.context.services

    @property
    def state(self) -> str:
        """Such as CREATE_COMPLETE."""
        return f"{self.context.action}_{self.context.status}"

    @property
    def reference(self) -> object:
        """The value of get_resource."""
        ctx = self.context
        return ctx.reference if ctx.reference is not None else ctx.physical_id or ctx.name

    def attribute(self, name: str) -> Any:
        """The value of get_attr."""
        kind, ctx = self.kind, self.context
        if name not in kind.attributes and not kind.open_attributes:
            hint = did_you_mean(name, kind.attributes)
            raise self._wrong(f"there is no attribute `{name}`{f'; {hint}' if hint else ''}")
        known = kind.is_attribute_known is None or kind.is_attribute_known(ctx, name)
        if kind.refresh is not None and (kind.volatile or not known):
            run(kind.refresh(ctx))
        return kind.attribute(ctx, name) if kind.attribute is not None else None

    def create(self) -> None:
        """Creates the object. After `crash_during_create`, continues like the next engine."""
        resumes = self.state == "CREATE_IN_PROGRESS" and self.kind.find is not None
        with self._step("CREATE"):
            if resumes:
                self._find_lost("created twice")
            else:
                self._call_create()

    def crash_during_create(self) -> None:
        """Creates the object, and kills the engine when the type stores its id, or else at the end of `create`. If the
        type has `find`, the next engine does not have what was stored, except by `intend`."""
        ctx = self.context
        noted = ctx.data, ctx.metadata, ctx.reference
        with self._step("CREATE"):
            ctx.kill_when_created = True
            try:
                self._call_create()
            except EngineKilled:
                pass
            finally:
                ctx.kill_when_created = False
        ctx.status, self._lost_id = "IN_PROGRESS", ctx.physical_id
        if self.kind.find is not None:
            ctx.physical_id = None
            ctx.data, ctx.metadata, ctx.reference = noted
            if ctx.stored_data is not None:
                ctx.data = ctx.stored_data

    def update(self, **changes: Any) -> None:
        """Changes properties in place; None removes one. Raises InvalidProperties, and ResourceFailed for a change that
        the type does not support."""
        why = self._update({**self._given, **changes})
        if why is not None:
            raise self._wrong(f"this change replaces the resource: {why}")

    def replace(self, **changes: Any) -> None:
        """Changes properties that require a replacement, which is created before the old object is deleted."""
        old, given = self.context, {**self._given, **changes}
        if self._update(given) is None:
            raise self._wrong("this change is made in place")
        if self.kind.before_replace is not None:
            run(self.kind.before_replace(old))
        self.context = replace(
            old,
            id=str(uuid4()),
            properties=properties_of(self.kind, **given),
            action="INIT",
            status="COMPLETE",
            physical_id=None,
            reference=None,
            data={},
            stored_data=None,
        )
        self._given, self._changing = given, frozenset()
        self.create()
        ends, new = self.kind.association_properties, self.context
        if not ends or any(new.properties[end] != old.properties[end] for end in ends):
            Resource(old, {}).delete()

    def delete(self) -> None:
        """Deletes the object. A second call resumes an interrupted deletion."""
        self._delete(self.kind.delete)

    def snapshot_delete(self) -> None:
        """Deletes the object with the deletion policy Snapshot."""
        self._delete(self.kind.snapshot_delete or self.kind.delete)

    def check(self) -> None:
        self._act("CHECK", self.kind.check)

    def suspend(self) -> None:
        self._act("SUSPEND", self.kind.suspend)

    def resume(self) -> None:
        self._act("RESUME", self.kind.resume)

    def snapshot(self) -> JsonObject:
        """Takes a snapshot and returns the data that the type stores for it."""
        kept: JsonObject = {}
        with self._step("SNAPSHOT"):
            if self.kind.snapshot is not None:
                kept = run(self.kind.snapshot(self.context))
        return kept

    def signal(self, details: Any = None) -> str | None:
        """Sends a signal and returns the type's reason for the event. Raises NothingToDo if the type ignores the
        signal."""
        if self.kind.signal is None or self.context.action in ("INIT", *self.kind.no_signal_actions):
            raise self._wrong(f"no signals are accepted in state {self.state}")
        return run(self.kind.signal(self.context, details))

    # Steps.

    @contextmanager
    def _step(self, action: str) -> Iterator[None]:
        self._require(action)
        ctx = self.context
        ctx.action, ctx.status, ctx.started_at = action, "IN_PROGRESS", ctx.clock
        ctx.occasion = f"{int(ctx.occasion.split()[0]) + 1} {action}"
        try:
            yield
        except Exception:
            ctx.status = "FAILED"
            raise
        ctx.status = "COMPLETE"

    def _require(self, action: str) -> None:
        """Raises AssertionError if an engine would not start the action."""
        ctx = self.context
        match action:
            case "CREATE":
                allowed = self.state in ("INIT_COMPLETE", "CREATE_IN_PROGRESS")
            case "DELETE":
                allowed = ctx.action != "INIT"
            case "SUSPEND":
                allowed = ctx.action == "SUSPEND" or (
                    ctx.action not in ("INIT", "DELETE") and ctx.status == "COMPLETE"
                )
            case "RESUME":
                allowed = ctx.action == "RESUME" or self.state == "SUSPEND_COMPLETE"
            case _:
                allowed = ctx.action not in ("INIT", "DELETE") and ctx.status != "IN_PROGRESS"
        if not allowed:
            raise self._wrong(f"state {self.state} is invalid for {action.lower()}")

    def _act(self, action: str, hook: Act | None) -> None:
        with self._step(action):
            if hook is not None:
                run(hook(self.context))

    def _call_create(self) -> None:
        if self.kind.create is not None:
            run(self.kind.create(self.context, self.context.properties))

    def _find_lost(self, otherwise: str) -> None:
        """Lets the type find the object that was created when the engine was killed."""
        if not self._finds():
            raise self._wrong(
                f"`find` does not find the object that `create` made, so it would be {otherwise}"
            )
        found, lost = self.context.physical_id, self._lost_id
        if found != lost:
            raise self._wrong(f"`create` made {lost!r}, but `find` found {found!r}")

    def _finds(self) -> bool:
        return self.kind.find is not None and run(self.kind.find(self.context))

    def _update(self, given: JsonObject) -> str | None:
        """Changes the object in place, or returns the reason why it must be replaced."""
        self._require("UPDATE")
        ctx, kind, after = self.context, self.kind, properties_of(self.kind, **given)
        decision = self._decide(after)
        if decision.kind is Kind.FORBIDDEN:
            raise ResourceFailed(decision.reason, decision.error)
        if decision.kind is Kind.REPLACE:
            return decision.reason
        if decision.kind is not Kind.KEEP:
            if ctx.status == "FAILED":
                if not self._is_healthy():
                    return f"it is in state {self.state} and unhealthy"
                if ctx.action == "CREATE":
                    ctx.status = "COMPLETE"
                    return self._update(given)
            self._changing |= decision.changed
            with self._step("UPDATE"):
                try:
                    if kind.update is not None:
                        run(kind.update(ctx, after, self._changing))
                except NeedsReplacement:
                    return "`update` raises NeedsReplacement"
            ctx.properties, self._changing = after, frozenset()
        self._given = given
        return None

    def _decide(self, after: JsonObject) -> Decision:
        ctx, name = self.context, self.kind.type_name
        present = Present(name, ctx.action, ctx.status, ctx.properties, {}, {}, name)
        return decide(present, Wanted(name, self.kind, after, {}, {}))

    def _is_healthy(self) -> bool:
        """Whether the object of a failed resource can be kept. `find` completes what `create` had left to do."""
        ctx, kind = self.context, self.kind
        if ctx.physical_id is None or kind.is_healthy is None or not run(kind.is_healthy(ctx)):
            return False
        return ctx.action != "CREATE" or kind.find is None or self._finds()

    def _delete(self, hook: Act | None) -> None:
        killed = self.state == "CREATE_IN_PROGRESS" and self.kind.find is not None
        with self._step("DELETE"):
            if killed:
                self._find_lost("left behind")
            elif self.context.physical_id is None and self.kind.find is not None and not self._was_created():
                return
            if hook is not None:
                run(hook(self.context))

    def _was_created(self) -> bool:
        """Whether `create` failed after creating an object, but without storing its id."""
        try:
            return self._finds()
        except (NotFound, Conflict):
            return False

    def _wrong(self, what: str) -> AssertionError:
        return AssertionError(f"{self.kind.type_name}: {what}")
