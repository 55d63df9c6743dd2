"""Stacks below resources, walked within the walk of the stack above them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from calor.engine import definitions
from calor.engine.adopting import left_below
from calor.engine.ids import new_id, physical_name
from calor.engine.loading import loaded
from calor.engine.states import ResourceState, StepFailed, Stopped, follow
from calor.engine.tree import has_stack
from calor.engine.walking import awaited
from calor.language.definition import Definition, ResourceDefinition
from calor.language.evaluation import Evaluated
from calor.language.expressions import FunctionError
from calor.language.library import TemplateType
from calor.language.parameters import StackIdentity
from calor.plan.below import Below, define_below, stages, whole, written
from calor.store import contents, records

if TYPE_CHECKING:
    from calor.engine.applying import StackWalk

NAME_LIMIT = 255


class Child:
    """The stack below a resource, as its parent's walk sees it."""

    def __init__(self, parent: StackWalk, resource: ResourceDefinition, state: ResourceState) -> None:
        self.parent = parent
        self.resource = resource
        self.state = state
        self.walk: StackWalk | None = None
        self.outputs: dict[str, Any] = {}
        """As they were when the stack was reached."""
        self._earlier_files: Mapping[str, str] = {}
        """Digests of the files with which the stack below was last walked."""

    async def create(self, evaluated: Evaluated) -> None:
        """Makes the stack below, or goes on with that."""
        await self._become("CREATE", evaluated, await self._stored())

    async def update(self, evaluated: Evaluated) -> None:
        stack = await self._stored()
        await self._become("CREATE" if stack is None else "UPDATE", evaluated, stack)

    async def _stored(self) -> records.Stack | None:
        return await self.parent.run.stack_below(self.parent.stack, self.state)

    async def differs(self, evaluated: Evaluated) -> bool:
        """Whether the stack below would change, although the resource's own properties do not: its template may
        be another one, or it may not have got where it was to go."""
        stack = await self._stored()
        if stack is None or stack.status != "COMPLETE" or stack.id in self.parent.run.ailing:
            return True
        try:
            below = whole(self._above, self.resource, evaluated)
            way = await self._stages(self.resource.found, evaluated, stack) if below is None else [below]
        except Exception:
            # The update that follows meets the same error, and tells it.
            return True
        return any(self._encoded(stage)[0] != stack.definition for stage in way)

    async def _become(self, action: str, evaluated: Evaluated, stack: records.Stack | None) -> None:
        """Makes the stack below what it shall be, in stages if its type wants that."""
        found = self.resource.found
        prepare = getattr(found, "prepare", None)
        if prepare is not None:
            await awaited(prepare(self.parent.context(self.state), evaluated.values))
        below = await self._whole(evaluated)
        if below is not None:
            await self._walk(action, evaluated, stack, below)
        else:
            for stage in await self._stages(found, evaluated, stack):
                stack = await self._walk(action, evaluated, stack, stage)
                action = "UPDATE"
                if stage.pause:
                    await self.parent.run.pause(stage.pause)
        settled = getattr(found, "settled", None)
        if settled is not None:
            await awaited(settled(self.parent.context(self.state, child=self.walk), evaluated.values))

    async def adopt(self, evaluated: Evaluated, left: Mapping[str, Any]) -> None:
        """Takes over the stack that another one had below, as it is: its members keep their names."""
        below = await self._whole(evaluated)
        if below is None:
            below = await left_below(self.parent, self.resource, self.state, evaluated, left)
        stack = await self._stored()
        await self._walk("ADOPT", evaluated, stack, below, {"adopt": left.get("resources") or {}})

    async def rewalk(
        self, evaluated: Evaluated, stack: records.Stack, template: dict[str, Any], run: dict[str, Any]
    ) -> None:
        """Makes the stack below what a template says, that stack alone. `run` is noted with it."""
        request = await self._earlier(stack)
        below = self._with_files(written(template, self._above, self.resource), request)
        await self._walk("UPDATE", evaluated, stack, below, run)

    async def reopen(self, evaluated: Evaluated, stack: records.Stack, walk: StackWalk | None = None) -> None:
        """Reads what the stack below is, without changing anything, with the stacks below that of which more than
        outputs is read."""
        run = self.parent.run
        if walk is None:
            walk = type(self.parent)(run, stack, None, await run.resource_rows(stack.id))
            walk.open()
        if walk.definition is None:
            below = await self._whole(evaluated)
            if below is None:
                request = await self._earlier(stack)
                below = written(request["template"], self._above, self.resource)
                below = self._with_files(below, request)
            identity = StackIdentity(stack.name, stack.id, stack.project)
            walk.define(await self._defined(below, evaluated, identity, stack.depth))
        self.walk = walk
        self.outputs = stack.outputs if stack.outputs is not None else walk.outputs()
        walk.members_are_read = self.parent.reads_members_of(self.resource)
        if walk.members_are_read:
            await _reopen_children(walk)

    async def _whole(self, evaluated: Evaluated) -> Below | None:
        found = self.resource.found
        if found is not None and not isinstance(found, TemplateType):
            address = found.child_address(evaluated.values)
            if address is not None:
                # The library remembers it.
                await loaded(self._above.library.read, address[0])
        return whole(self._above, self.resource, evaluated)

    async def _defined(
        self, below: Below, evaluated: Evaluated, identity: StackIdentity, depth: int
    ) -> Definition:
        arguments = (below, self._above, self.resource, evaluated, identity, depth)
        return await loaded(define_below, *arguments) if below.is_fetched else define_below(*arguments)

    async def _stages(self, found: Any, evaluated: Evaluated, stack: records.Stack | None) -> list[Below]:
        rows = await self.parent.run.resource_rows(stack.id) if stack is not None else []
        request = await self._earlier(stack) if stack is not None else {}
        members = (request.get("template") or {}).get("resources") or {}
        context = self.parent.context(
            self.state, members=[ResourceState.of(row) for row in rows], below=members
        )
        *batches, last = stages(found, self._above, self.resource, context, evaluated.values)
        return [*(self._with_files(batch, request) for batch in batches), last]

    async def _earlier(self, stack: records.Stack) -> dict[str, Any]:
        """What the stack below is made of now."""
        request, self._earlier_files = await self.parent.run.request_of(stack)
        return request

    def _with_files(self, below: Below, request: Mapping[str, Any]) -> Below:
        """What has members that are left as they are: their templates may be missing in the present request."""
        library = self._above.library.with_files(request.get("files") or {})
        return below if library is self._above.library else replace(below, library=library)

    async def _walk(
        self,
        action: str,
        evaluated: Evaluated,
        stack: records.Stack | None,
        below: Below,
        noted: dict[str, Any] | None = None,
    ) -> records.Stack:
        run = self.parent.run
        id = stack.id if stack is not None else new_id()
        rows = await run.resource_rows(id) if stack is not None else []
        name = stack.name if stack is not None else self._name()
        identity = StackIdentity(name, id, self.parent.stack.project)
        depth = self.parent.stack.depth + 1
        definition = await self._defined(below, evaluated, identity, depth)
        denied = definitions.denied(run.denied_types, definition)
        if denied is not None:
            raise StepFailed("Forbidden", f"You are not authorized to use the resource type {denied}.")
        digest, bodies = self._encoded(below)
        run.journal.changes.then(lambda connection: contents.put(connection, bodies))
        stack = self._enter(stack, id, name, action, digest, definition, noted or {})
        self.walk = walk = type(self.parent)(run, stack, definition, rows)
        walk.occasion = repr(noted) if noted else self.parent.occasion
        walk.members_are_read = self.parent.reads_members_of(self.resource)
        walk.above = self.parent
        failed = await walk.execute()
        if run.stopped():
            if run.aborted:
                self._leave(stack, "FAILED", f"{action} was given up")
            raise Stopped
        if walk.cut_short:
            cancelled = StepFailed.cancelled(action)
            self._leave(stack, "FAILED", cancelled.reason)
            raise cancelled
        if failed:
            reason = walk.failure(failed)
            self._leave(stack, "FAILED", f"Resource {action} failed: {reason.reason}")
            raise reason
        self.outputs = walk.outputs()
        reached = {"outputs": self.outputs, "previous": digest}
        self._leave(stack, "COMPLETE", f"Stack {action} completed successfully", **reached)
        self._refer(stack)
        return stack

    def _refer(self, stack: records.Stack) -> None:
        """The output OS::stack_id stands for the whole stack, where a template has one."""
        if "OS::stack_id" in self.outputs:
            self.state.reference = self.outputs["OS::stack_id"]["value"]
        elif isinstance(self.resource.found, TemplateType):
            self.state.reference = stack.arn

    def _name(self) -> str:
        return physical_name(self.parent.stack.name, self.resource.name, self.state.id, NAME_LIMIT)

    @property
    def _above(self) -> Definition:
        assert self.parent.definition is not None
        return self.parent.definition

    def _encoded(self, below: Below) -> tuple[str, dict[str, bytes]]:
        """The child's own definition, as it is stored; its files are the parent's."""
        return definitions.encode_nested(
            dict(below.template.data),
            below.parameters,
            below.environment(self._above, self.resource).shown(),
            {**(self._earlier_files if below.library else {}), **self.parent.run.file_digests},
            self.parent.run.seal,
        )

    def _enter(
        self,
        stack: records.Stack | None,
        id: str,
        name: str,
        action: str,
        digest: str,
        definition: Definition,
        noted: dict[str, Any],
    ) -> records.Stack:
        above = self.parent.stack
        now = self.parent.run.now()
        reason = f"Stack {action} started"
        # Before the stack: should the two be written apart, then no stack is left that no resource knows.
        self.state.physical_id = id
        self.parent.journal.resource(self.state)
        if stack is None:
            made = records.Stack(
                id=id,
                name=name,
                project=above.project,
                root=above.root,
                parent=above.id,
                parent_resource=self.resource.name,
                depth=above.depth + 1,
                action=action,
                status="IN_PROGRESS",
                reason=reason,
                created_at=now,
                updated_at=None,
                deleted_at=None,
                definition=digest,
                previous=None,
                description=definition.template.description,
                disable_rollback=True,
                timeout_mins=above.timeout_mins,
                username=above.username,
                user_project=above.user_project,
                credentials=above.credentials,
                tags=[],
                outputs=None,
                run_id=above.run_id,
                run=noted,
            )
            self.parent.journal.new_stack(**records.as_row(made))
            self.parent.journal.stack_event(made)
            return made
        return self.parent.journal.stack_changed(
            stack,
            action=action,
            status="IN_PROGRESS",
            reason=reason,
            updated_at=now,
            definition=digest,
            run=noted,
        )

    def _leave(self, stack: records.Stack, status: str, reason: str, **values: Any) -> None:
        self.parent.journal.stack_changed(stack, status=status, reason=reason, **values)

    def attribute(self, name: str, path: Sequence[Any]) -> Any:
        """An attribute of the resource that the stack stands for."""
        walk = self.walk
        if walk is None:
            return None
        found = self.resource.found
        reader = getattr(found, "member_attribute", None)
        if reader is not None:
            return reader(self.parent.context(self.state, child=walk), name, list(path))
        if name.startswith("resource."):
            return walk.member_attribute(name.removeprefix("resource."), path)
        output = self.outputs.get(name)
        if output is None:
            return None
        if "error" in output:
            raise FunctionError(f"Error in {self.resource.name} output {name}: {output['error']}")
        return follow(output["value"], path)


async def _reopen_children(walk: StackWalk) -> None:
    assert walk.definition is not None
    for state in list(walk.current.values()):
        resource = walk.definition.resources.get(state.name)
        if resource is None or not has_stack(state):
            continue
        stack = await walk.run.stack_below(walk.stack, state)
        if stack is None:
            continue
        child = Child(walk, resource, state)
        try:
            evaluated = walk.evaluated(resource)
        except FunctionError:
            # It failed at that, and has nothing to be read.
            continue
        await child.reopen(evaluated, stack, walk.run.walks.get(stack.id))
        walk.children[state.name] = child


async def delete_child(parent: StackWalk, state: ResourceState) -> None:
    """Deletes the stack below a resource, with all that is in it."""
    stack = await parent.run.stack_below(parent.stack, state)
    if stack is None or stack.deleted_at is not None:
        return
    stack = parent.journal.stack_changed(
        stack,
        action="DELETE",
        status="IN_PROGRESS",
        reason="Stack DELETE started",
        updated_at=parent.run.now(),
    )
    registry = parent.registry.nested(state.name, None)
    walk = type(parent)(parent.run, stack, None, await parent.run.resource_rows(stack.id), registry)
    walk.occasion = parent.occasion
    walk.above = parent
    failed = await walk.execute()
    if parent.run.stopped():
        if parent.run.aborted:
            parent.journal.stack_changed(stack, status="FAILED", reason="DELETE was given up")
        raise Stopped
    if walk.cut_short:
        cancelled = StepFailed.cancelled("DELETE")
        parent.journal.stack_changed(stack, status="FAILED", reason=cancelled.reason)
        raise cancelled
    if failed:
        reason = walk.failure(failed)
        message = f"Resource DELETE failed: {reason.reason}"
        parent.journal.stack_changed(stack, status="FAILED", reason=message)
        raise reason
    parent.journal.stack_changed(
        stack,
        status="COMPLETE",
        reason="Stack DELETE completed successfully",
        deleted_at=parent.run.now(),
    )
