"""Changes of the stack below a resource that a signal asks for: that stack is walked alone, and those above it keep
their states."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from calor.engine.children import Child
from calor.engine.loading import loaded
from calor.engine.states import ResourceState
from calor.store import records
from calor.types.behaviour import NothingToDo, ResourceFailed

if TYPE_CHECKING:
    from calor.engine.applying import StackWalk
    from calor.engine.context import Context
    from calor.engine.runs import Run

SIGNAL = "signal"
"""Where a stack notes the signal for which it was last changed."""

Assemble = Callable[["Context"], dict[str, Any]]


class ChangesBelow:
    """Of one run. The signal in the inbox is the intent: it stays there until the change is done. A signal that is
    delivered again, because an engine died, finds its mark on the stack, and goes on with what it had begun."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._busy: dict[str, set[str]] = {}
        """Stacks that are being changed, and those above each."""

    async def change(
        self, walk: StackWalk, state: ResourceState, signal: str, assemble: Assemble
    ) -> StackWalk:
        """Makes the stack below a resource what `assemble` says; the stack as it has become."""
        stack = await self._run.stack_below(walk.stack, state)
        if stack is None or self._run.stack.status == "IN_PROGRESS":
            raise NothingToDo("the stack is being worked on")
        above = await self._above(stack)
        if stack.id in self._busy or any(stack.id in others for others in self._busy.values()):
            raise NothingToDo("the stack below is being worked on")
        if above & self._busy.keys():
            raise NothingToDo("a stack above is being worked on")
        begun = stack.run.get(SIGNAL) == signal
        if stack.status == "IN_PROGRESS" and not begun:
            raise NothingToDo("the stack below is being worked on")
        if begun and stack.status == "FAILED":
            raise ResourceFailed(stack.reason)
        self._busy[stack.id] = above
        timer = self._timer(stack.updated_at if begun else None)
        try:
            return await self._changed(walk, state, stack, signal, None if begun else assemble)
        finally:
            if timer is not None:
                timer.cancel()
            del self._busy[stack.id]

    def _timer(self, began: float | None) -> asyncio.TimerHandle | None:
        """What gives the change up when it takes longer than an action on the stack may."""
        run = self._run
        seconds = run.timeout(run.stack)
        if not seconds:
            return None
        remaining = (began or run.now()) + seconds - run.now()
        return asyncio.get_running_loop().call_later(max(remaining, 0), run.abort)

    async def _above(self, stack: records.Stack) -> set[str]:
        found: set[str] = set()
        parent = stack.parent
        while parent is not None:
            found.add(parent)
            row = await self._run.stack_of_tree(parent)
            parent = row.parent if row is not None else None
        return found

    async def _changed(
        self,
        walk: StackWalk,
        state: ResourceState,
        stack: records.Stack,
        signal: str,
        assemble: Assemble | None,
    ) -> StackWalk:
        template = await self._run.template_of(stack)
        if assemble is not None:
            rows = await self._run.resource_rows(stack.id)
            members = [ResourceState.of(row) for row in rows]
            template = assemble(walk.context(state, members=members, below=template.get("resources") or {}))
        await self.define(walk)
        assert walk.definition is not None
        resource = walk.definition.resources[state.name]
        child = walk.children[state.name] = Child(walk, resource, state)
        evaluated = walk.evaluated(resource)
        if assemble is None and stack.status == "COMPLETE":
            await child.reopen(evaluated, stack)
        else:
            await child.rewalk(evaluated, stack, template, {SIGNAL: signal})
        await self.spread(walk, child)
        assert child.walk is not None
        return child.walk

    async def define(self, walk: StackWalk) -> None:
        """Reads what a stack that was opened for its resources only is defined as, from the root down."""
        if walk.definition is not None:
            return
        if walk.stack.parent is None:
            definition = await loaded(self._run.defined, walk.stack.definition)
            walk.define(definition)
            return
        parent = await self._run.walk_of(walk.stack.parent)
        assert parent is not None
        await self.define(parent)
        assert parent.definition is not None
        name = str(walk.stack.parent_resource)
        resource = parent.definition.resources[name]
        evaluated = parent.evaluated(resource)
        child = Child(parent, resource, parent.current[name])
        await child.reopen(evaluated, walk.stack, walk)
        parent.children[name] = child

    async def spread(self, walk: StackWalk, child: Child) -> None:
        """What the stacks above read of one that has changed is read anew, up to the root."""
        resource = child.resource
        while True:
            assert walk.definition is not None
            state = walk.current[resource.name]
            walk.read_attributes(state, resource)
            walk.journal.resource(state)
            outputs = walk.outputs()
            walk.journal.stack(walk.stack.id, outputs=outputs)
            if walk.stack.parent is None:
                return
            parent = self._run.walks[walk.stack.parent]
            above = parent.children[str(walk.stack.parent_resource)]
            above.outputs = outputs
            walk, resource = parent, above.resource
