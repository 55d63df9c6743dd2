"""Nested stacks, processed within the walk of their parent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from calor.engine.run.loading import run_in_loading_thread
from calor.engine.view.view import NestedView, StackView
from calor.engine.walk.graph_walk import maybe_await
from calor.engine.walk.stack_walk import StackWalk
from calor.language.definition import Definition, ResourceDefinition
from calor.language.evaluation import Evaluated
from calor.language.expressions import FunctionError
from calor.language.library import TemplateType
from calor.language.parameters import StackIdentity
from calor.lifecycle import Action, Status
from calor.plan.nested_templates import NestedTemplate, define_nested, parse_generated, stages, template_of
from calor.plan.present import REFERENCE
from calor.resources.contract import contract_of
from calor.resources.values import JsonMapping, JsonObject
from calor.stacks import definitions
from calor.stacks.ids import new_id, physical_name
from calor.stacks.run_notes import RunNotes
from calor.stacks.states import ResourceState, StepFailed, Stopped
from calor.stacks.tree import has_stack
from calor.store import contents, records

NAME_LIMIT = 255


class NestedStackActions:
    """The nested stack of a resource, as its parent's walk changes it."""

    def __init__(self, parent: StackWalk, resource: ResourceDefinition, state: ResourceState) -> None:
        self.parent = parent
        self.run = parent.run
        self.resource = resource
        self.state = state
        self.shown = NestedView(parent.view, resource, state)
        """The view for the parent."""
        self._earlier_files: Mapping[str, str] = {}
        """Digests of the files in the nested stack's previous request."""

    @classmethod
    def of(cls, parent: StackWalk, resource: ResourceDefinition, state: ResourceState) -> NestedStackActions:
        """Creates a nested stack that the parent reads from now on."""
        nested = cls(parent, resource, state)
        parent.view.nested[resource.name] = nested.shown
        return nested

    async def create(self, evaluated: Evaluated) -> None:
        """Creates the nested stack, or continues creating it."""
        await self._apply(Action.CREATE, evaluated, await self._stored())

    async def update(self, evaluated: Evaluated) -> None:
        stack = await self._stored()
        await self._apply(Action.CREATE if stack is None else Action.UPDATE, evaluated, stack)

    async def _stored(self) -> records.Stack | None:
        return await self.run.rows.nested_stack(self.parent.stack, self.state)

    async def differs(self, evaluated: Evaluated) -> bool:
        """Whether the nested stack changes although the resource's properties do not: its template differs, or it is
        not complete."""
        stack = await self._stored()
        if stack is None or stack.status != Status.COMPLETE or stack.id in self.run.unhealthy:
            return True
        try:
            below = template_of(self._above, self.resource, evaluated)
            way = await self._stages(evaluated, stack) if below is None else [below]
        except Exception:
            # The update will raise and report the same error.
            return True
        return any(self._encoded(stage)[0] != stack.definition for stage in way)

    async def _apply(self, action: Action, evaluated: Evaluated, stack: records.Stack | None) -> None:
        """Creates or updates the nested stack, in stages if its type has several."""
        contract = contract_of(self.resource.resource_type)
        prepare = contract.before_nested_stack
        if prepare is not None:
            await maybe_await(prepare(self.parent.view.context(self.state), evaluated.values))
        below = await self._whole(evaluated)
        if below is not None:
            await self._walk(action, evaluated, stack, below)
        else:
            for stage in await self._stages(evaluated, stack):
                stack = await self._walk(action, evaluated, stack, stage)
                action = Action.UPDATE
                if stage.pause:
                    await self.run.control.pause(stage.pause)
        settled = contract.after_nested_stack
        if settled is not None:
            context = self.parent.view.context(self.state, nested=self.shown.view)
            await maybe_await(settled(context, evaluated.values))

    async def adopt(self, evaluated: Evaluated, left: JsonMapping) -> None:
        """Adopts a nested stack with its members' names."""
        below = await self._whole(evaluated)
        if below is None:
            below = await self._adopted_template(evaluated, left)
        stack = await self._stored()
        await self._walk(Action.ADOPT, evaluated, stack, below, RunNotes(adopt=left.get("resources") or {}))

    async def _adopted_template(self, evaluated: Evaluated, left: JsonMapping) -> NestedTemplate:
        """The template for adopting a nested stack: the exported one or, without it, the type's, with the members'
        names instead of random ones."""
        template = left.get("template")
        if isinstance(template, dict):
            return parse_generated(template, self._above, self.resource)
        found = self.resource.resource_type
        assert found is not None
        contract = contract_of(found)
        context = self.parent.view.context(self.state)
        if contract.before_nested_stack is not None:
            await maybe_await(contract.before_nested_stack(context, evaluated.values))
        names = list(left.get("resources") or {})

        def named(template: JsonObject) -> JsonObject:
            generated = template["resources"]
            chosen = [*names[: len(generated)], *list(generated)[len(names) :]]
            return {**template, "resources": dict(zip(chosen, generated.values(), strict=True))}

        rename = named if contract.random_member_names else None
        return stages(found, self._above, self.resource, context, evaluated.values, rename)[-1]

    async def change(
        self, evaluated: Evaluated, stack: records.Stack, template: JsonObject, notes: RunNotes
    ) -> None:
        """Updates only the nested stack to a template. `notes` are stored with it."""
        request = await self._earlier(stack)
        below = self._with_files(parse_generated(template, self._above, self.resource), request)
        await self._walk(Action.UPDATE, evaluated, stack, below, notes)

    async def reopen(self, evaluated: Evaluated, stack: records.Stack, view: StackView | None = None) -> None:
        """Opens the nested stack for reading, with deeper stacks whose members are read."""
        if view is None:
            view = StackView(self.parent.view.tree, stack, None, await self.run.rows.resources(stack.id))
            view.open()
        if view.definition is None:
            below = await self._whole(evaluated)
            if below is None:
                request = await self._earlier(stack)
                below = parse_generated(request["template"], self._above, self.resource)
                below = self._with_files(below, request)
            identity = StackIdentity(stack.name, stack.id, stack.project)
            view.define(await self._defined(below, evaluated, identity, stack.depth))
        self.shown.view = view
        self.shown.outputs = stack.outputs if stack.outputs is not None else view.outputs()
        view.members_are_read = self.parent.view.reads_members_of(self.resource)
        if view.members_are_read:
            await self._reopen_nested(view)

    async def _reopen_nested(self, view: StackView) -> None:
        """Opens the nested stacks of a nested stack."""
        walk = StackWalk(view, self.parent.dispatch)
        for state in list(view.current.values()):
            resource = view.defined.resources.get(state.name)
            if resource is None or not has_stack(state):
                continue
            stack = await self.run.rows.nested_stack(view.stack, state)
            if stack is None:
                continue
            try:
                evaluated = view.evaluated(resource)
            except FunctionError:
                # It failed with this error and has no attributes.
                continue
            nested = NestedStackActions(walk, resource, state)
            await nested.reopen(evaluated, stack, view.tree.views.get(stack.id))
            view.nested[state.name] = nested.shown

    async def _whole(self, evaluated: Evaluated) -> NestedTemplate | None:
        found = self.resource.resource_type
        if found is not None and not isinstance(found, TemplateType):
            address = found.child_address(evaluated.values)
            if address is not None:
                # Fetched into the library's cache.
                await run_in_loading_thread(self._above.library.read, address[0])
        return template_of(self._above, self.resource, evaluated)

    async def _defined(
        self, below: NestedTemplate, evaluated: Evaluated, identity: StackIdentity, depth: int
    ) -> Definition:
        arguments = (below, self._above, self.resource, evaluated, identity, depth)
        return (
            await run_in_loading_thread(define_nested, *arguments)
            if below.is_fetched
            else define_nested(*arguments)
        )

    async def _stages(self, evaluated: Evaluated, stack: records.Stack | None) -> list[NestedTemplate]:
        found = self.resource.resource_type
        assert found is not None
        rows = await self.run.rows.resources(stack.id) if stack is not None else []
        request = await self._earlier(stack) if stack is not None else {}
        members = (request.get("template") or {}).get("resources") or {}
        context = self.parent.view.context(
            self.state, members=[ResourceState.of(row) for row in rows], nested_definitions=members
        )
        *batches, last = stages(found, self._above, self.resource, context, evaluated.values)
        return [*(self._with_files(batch, request) for batch in batches), last]

    async def _earlier(self, stack: records.Stack) -> JsonObject:
        """The current request of the nested stack."""
        request, self._earlier_files = await self.run.rows.request_of(stack)
        return request

    def _with_files(self, below: NestedTemplate, request: JsonMapping) -> NestedTemplate:
        """Adds earlier files, as templates of unchanged members may be missing in the current request."""
        library = self._above.library.with_files(request.get("files") or {})
        return below if library is self._above.library else replace(below, library=library)

    async def _walk(
        self,
        action: Action,
        evaluated: Evaluated,
        stack: records.Stack | None,
        below: NestedTemplate,
        notes: RunNotes | None = None,
    ) -> records.Stack:
        run, above = self.run, self.parent.view
        id = stack.id if stack is not None else new_id()
        rows = await run.rows.resources(id) if stack is not None else []
        name = stack.name if stack is not None else self._name()
        identity = StackIdentity(name, id, self.parent.stack.project)
        depth = self.parent.stack.depth + 1
        definition = await self._defined(below, evaluated, identity, depth)
        denied = definitions.denied(run.denied_types, definition)
        if denied is not None:
            raise StepFailed("Forbidden", f"You are not authorized to use the resource type {denied}.")
        digest, bodies = self._encoded(below)
        run.journal.changes.then(lambda connection: contents.put(connection, bodies))
        stack = self._enter(stack, id, name, action, digest, definition, notes or RunNotes())
        self.shown.view = view = StackView(above.tree, stack, definition, rows)
        view.members_are_read = above.reads_members_of(self.resource)
        occasion = repr(notes.stored()) if notes is not None else self.parent.occasion
        walk = StackWalk(view, self.parent.dispatch, occasion=occasion, above=self.parent)
        await _execute(walk, stack, action)
        self.shown.outputs = view.outputs()
        reached = {"outputs": self.shown.outputs, "previous": digest}
        _leave(walk, stack, Status.COMPLETE, f"Stack {action} completed successfully", **reached)
        self._refer(stack)
        return stack

    def _refer(self, stack: records.Stack) -> None:
        """Sets the reference: the output OS::stack_id of a template, or the stack's ARN."""
        if REFERENCE in self.shown.outputs:
            self.state.reference = self.shown.outputs[REFERENCE]["value"]
        elif isinstance(self.resource.resource_type, TemplateType):
            self.state.reference = stack.arn

    def _name(self) -> str:
        return physical_name(self.parent.stack.name, self.resource.name, self.state.id, NAME_LIMIT)

    @property
    def _above(self) -> Definition:
        return self.parent.view.defined

    def _encoded(self, below: NestedTemplate) -> tuple[str, dict[str, bytes]]:
        """The nested stack's definition in stored form, with the files of the root."""
        return definitions.encode_nested(
            dict(below.template.data),
            below.parameters,
            below.environment(self._above, self.resource).shown(),
            {**(self._earlier_files if below.library else {}), **self.run.file_digests},
            self.run.seal,
        )

    def _enter(
        self,
        stack: records.Stack | None,
        id: str,
        name: str,
        action: Action,
        digest: str,
        definition: Definition,
        notes: RunNotes,
    ) -> records.Stack:
        above = self.parent.stack
        now = self.run.now()
        reason = f"Stack {action} started"
        # Before the stack, so that a crash between the two leaves no stack without a resource.
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
                status=Status.IN_PROGRESS,
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
                run=notes.stored(),
            )
            self.parent.journal.new_stack(**records.as_row(made))
            self.parent.journal.stack_event(made)
            return made
        return self.parent.journal.stack_changed(
            stack,
            action=action,
            status=Status.IN_PROGRESS,
            reason=reason,
            updated_at=now,
            definition=digest,
            run=notes.stored(),
        )


async def delete_nested(parent: StackWalk, state: ResourceState) -> None:
    """Deletes the nested stack of a resource."""
    run = parent.run
    stack = await run.rows.nested_stack(parent.stack, state)
    if stack is None or stack.deleted_at is not None:
        return
    stack = run.journal.stack_changed(
        stack,
        action=Action.DELETE,
        status=Status.IN_PROGRESS,
        reason="Stack DELETE started",
        updated_at=run.now(),
    )
    registry = parent.view.registry.nested(state.name, None)
    view = StackView(parent.view.tree, stack, None, await run.rows.resources(stack.id), registry)
    walk = StackWalk(view, parent.dispatch, occasion=parent.occasion, above=parent)
    await _execute(walk, stack, Action.DELETE)
    reason = "Stack DELETE completed successfully"
    _leave(walk, stack, Status.COMPLETE, reason, deleted_at=run.now())


async def _execute(walk: StackWalk, stack: records.Stack, action: Action) -> None:
    """Executes a nested stack's walk. Raises if it fails or is stopped."""
    failed = await walk.execute()
    control = walk.run.control
    if control.stopped():
        if control.aborted:
            _leave(walk, stack, Status.FAILED, f"{action} aborted")
        raise Stopped
    if walk.cut_short:
        cancelled = StepFailed.cancelled(action)
        _leave(walk, stack, Status.FAILED, cancelled.reason)
        raise cancelled
    if failed:
        failure = walk.failure(failed)
        _leave(walk, stack, Status.FAILED, f"Resource {action} failed: {failure.reason}")
        raise failure


def _leave(walk: StackWalk, stack: records.Stack, status: Status, reason: str, **values: Any) -> None:
    walk.journal.stack_changed(stack, status=status, reason=reason, **values)
