"""Changes of single resources that hooks request: scaling a nested stack while the stacks above keep their states,
updating properties of another resource, and replacing a resource."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from calor.engine.run.loading import run_in_loading_thread
from calor.engine.view.context import Context
from calor.engine.view.view import NestedView, OpenTree, StackView
from calor.engine.walk.nested import NestedStackActions
from calor.engine.walk.stack_walk import Dispatch, StackWalk
from calor.engine.walk.updating import update_single
from calor.lifecycle import Action, Status
from calor.resources.outcomes import NothingToDo, ResourceFailed
from calor.resources.values import JsonMapping, JsonObject
from calor.stacks.ids import new_id
from calor.stacks.run_notes import RunNotes
from calor.stacks.states import ResourceState, StepFailed
from calor.store import records

Assemble = Callable[[Context], JsonObject]


class SingleChanges:
    """The single changes of one run. The signal stays in the inbox until its change is done. If it is handled again
    after a crash, its id is stored with the stack, and the change continues."""

    def __init__(self, tree: OpenTree, dispatch: Dispatch) -> None:
        self._tree = tree
        self._run = tree.run
        self._dispatch = dispatch
        self._busy: dict[str, set[str]] = {}
        """Stacks that are being changed, with the stacks above each."""

    async def change_nested(
        self, view: StackView, state: ResourceState, signal: str, assemble: Assemble
    ) -> StackView:
        """Updates the nested stack of a resource to the template that `assemble` returns; returns the result."""
        stack = await self._run.rows.nested_stack(view.stack, state)
        if stack is None or self._run.stack.status == Status.IN_PROGRESS:
            raise NothingToDo("an action on the stack is in progress")
        above = await self._above(stack)
        if stack.id in self._busy or any(stack.id in others for others in self._busy.values()):
            raise NothingToDo("an action on the nested stack is in progress")
        if above & self._busy.keys():
            raise NothingToDo("an action on a parent stack is in progress")
        begun = RunNotes.of(stack).signal == signal
        if stack.status == Status.IN_PROGRESS and not begun:
            raise NothingToDo("an action on the nested stack is in progress")
        if begun and stack.status == Status.FAILED:
            raise ResourceFailed(stack.reason)
        self._busy[stack.id] = above
        timer = self._timer(stack.updated_at if begun else None)
        try:
            return await self._change(view, state, stack, signal, None if begun else assemble)
        finally:
            if timer is not None:
                timer.cancel()
            del self._busy[stack.id]

    def _timer(self, began: float | None) -> asyncio.TimerHandle | None:
        """Aborts the change after the stack's timeout."""
        run = self._run
        seconds = run.timeout(run.stack)
        if not seconds:
            return None
        remaining = (began or run.now()) + seconds - run.now()
        return asyncio.get_running_loop().call_later(max(remaining, 0), run.control.abort)

    async def _above(self, stack: records.Stack) -> set[str]:
        found: set[str] = set()
        parent = stack.parent
        while parent is not None:
            found.add(parent)
            row = await self._run.rows.stack_in_tree(parent)
            parent = row.parent if row is not None else None
        return found

    async def _change(
        self,
        view: StackView,
        state: ResourceState,
        stack: records.Stack,
        signal: str,
        assemble: Assemble | None,
    ) -> StackView:
        rows = self._run.rows
        template = await rows.template_of(stack)
        if assemble is not None:
            members = [ResourceState.of(row) for row in await rows.resources(stack.id)]
            template = assemble(
                view.context(state, members=members, nested_definitions=template.get("resources") or {})
            )
        await self.define(view)
        resource = view.defined.resources[state.name]
        nested = NestedStackActions.of(StackWalk(view, self._dispatch), resource, state)
        evaluated = view.evaluated(resource)
        if assemble is None and stack.status == Status.COMPLETE:
            await nested.reopen(evaluated, stack)
        else:
            await nested.change(evaluated, stack, template, RunNotes(signal=signal))
        self._propagate(view, nested.shown)
        assert nested.shown.view is not None
        return nested.shown.view

    async def define(self, view: StackView) -> None:
        """Loads the definition of a stack that was opened without it, from the root down."""
        if view.definition is not None:
            return
        if view.stack.parent is None:
            view.define(await run_in_loading_thread(self._run.defined, view.stack.definition))
            return
        parent = await self._tree.view_of(view.stack.parent)
        assert parent is not None
        await self.define(parent)
        name = str(view.stack.parent_resource)
        resource = parent.defined.resources[name]
        nested = NestedStackActions(StackWalk(parent, self._dispatch), resource, parent.current[name])
        await nested.reopen(parent.evaluated(resource), view.stack, view)
        parent.nested[name] = nested.shown

    def _propagate(self, view: StackView, nested: NestedView) -> None:
        """Updates attributes and outputs of the stacks above a changed one, up to the root."""
        resource = nested.resource
        while True:
            state = view.current[resource.name]
            view.read_attributes(state, resource)
            self._run.journal.resource(state)
            outputs = view.outputs()
            self._run.journal.stack(view.stack.id, outputs=outputs)
            if view.stack.parent is None:
                return
            parent = self._tree.views[view.stack.parent]
            above = parent.nested[str(view.stack.parent_resource)]
            above.outputs = outputs
            view, resource = parent, above.resource

    async def store_outputs(self, stack: records.Stack) -> None:
        """Stores the outputs of a stack after attributes of its resources have changed, and what the stack above reads
        of them."""
        view = await self._tree.view_of(stack.id)
        assert view is not None
        await self.define(view)
        outputs = view.outputs()
        self._run.journal.stack(stack.id, outputs=outputs)
        if stack.parent is not None:
            parent = self._tree.views[stack.parent]
            nested = parent.nested[str(stack.parent_resource)]
            nested.outputs = outputs
            parent.read_attributes(nested.state, nested.resource)

    async def update_peer(self, view: StackView, reference: str, values: JsonMapping) -> None:
        """Updates some properties of a resource, until the next update of the stack."""
        await self.define(view)
        await update_single(StackWalk(view, self._dispatch), reference, values)

    async def recreate(self, view: StackView, reference: str) -> None:
        """Starts an update of the whole tree in which a resource counts as failed."""
        state = view.by_reference(reference)
        if state is None:
            raise StepFailed("NotFound", f"the stack has no resource {reference}")
        if self._run.stack.status == Status.IN_PROGRESS:
            raise NothingToDo("an action on the stack is in progress")
        state.action, state.status, state.reason = Action.CHECK, Status.FAILED, "it will be replaced"
        self._run.journal.transition(view.stack, state)
        self._run.root.change(
            action=Action.UPDATE,
            status=Status.IN_PROGRESS,
            reason="Stack UPDATE started",
            updated_at=self._run.now(),
            run_id=new_id(),
            run={},
        )
