"""What a stack did not make itself: resources that it takes over, and those that it only refers to.

Their ids come from a request, and can name anything. They are looked up with the rights of the stack's owner before
the stack relies on them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

from calor.clouds.errors import Forbidden, NotFound
from calor.plan.decision import has_stack_below


class Foreign(Protocol):
    """The resource that is to have the id, as far as it is needed to look it up."""

    @property
    def physical_id(self) -> str | None: ...

    async def owns_stack(self, id: str) -> bool:
        """Whether the project has a stack with that id."""


Judge = Callable[[Any, Any], Awaitable[bool]]


async def exists(found: Any, ctx: Foreign) -> bool:
    """Whether the id of a resource names something that the stack's owner can see. Where a type has nothing to look
    up, any id will do: it means nothing outside the stack."""
    if not ctx.physical_id:
        return False
    if has_stack_below(found):
        return await ctx.owns_stack(ctx.physical_id)
    return await _asked(getattr(found, "exists", None), ctx)


async def is_adoptable(found: Any, ctx: Foreign) -> bool:
    """Whether a stack may take over what the id of a resource names."""
    return await _asked(getattr(found, "is_adoptable", None) or getattr(found, "exists", None), ctx)


async def _asked(question: Any, ctx: Foreign) -> bool:
    if question is None:
        return True
    try:
        return bool(await question(ctx))
    except (NotFound, Forbidden):
        return False


def adoptable_data(found: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """What a resource takes of the data that an adopter brings. Names with an underscore are the engine's own."""
    declared = getattr(found, "adopted_data", ())
    return {name: given[name] for name in declared if name in given and not name.startswith("_")}
