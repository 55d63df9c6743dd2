"""What a group is made of whose members another stack has left behind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from calor.engine.states import ResourceState
from calor.engine.walking import awaited
from calor.language.definition import ResourceDefinition
from calor.language.evaluation import Evaluated
from calor.plan.below import Below, stages, written

if TYPE_CHECKING:
    from calor.engine.applying import StackWalk


async def left_below(
    walk: StackWalk,
    resource: ResourceDefinition,
    state: ResourceState,
    evaluated: Evaluated,
    left: Mapping[str, Any],
) -> Below:
    """By the template that was left with the members or, where there is none, by the group's properties. Names that
    its type would draw are then those of the members."""
    assert walk.definition is not None
    template = left.get("template")
    if isinstance(template, dict):
        return written(template, walk.definition, resource)
    found: Any = resource.found
    context = walk.context(state)
    prepare = getattr(found, "prepare", None)
    if prepare is not None:
        await awaited(prepare(context, evaluated.values))
    names = list(left.get("resources") or {})

    def named(template: dict[str, Any]) -> dict[str, Any]:
        drawn = template["resources"]
        chosen = [*names[: len(drawn)], *list(drawn)[len(names) :]]
        return {**template, "resources": dict(zip(chosen, drawn.values(), strict=True))}

    rename = named if getattr(found, "draws_names", False) else None
    return stages(found, walk.definition, resource, context, evaluated.values, rename)[-1]
