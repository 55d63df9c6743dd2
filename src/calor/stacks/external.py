"""Checks resources that a stack did not create: adopted ones, and those with an `external_id`.

Their ids come from a request and are untrusted, so they are looked up with the rights of the stack's owner.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from calor.clouds.errors import Forbidden, NotFound
from calor.language.library import ResolvedType
from calor.plan.type_facts import has_nested_stack
from calor.resources.context import AdoptContext, LookupContext
from calor.resources.contract import contract_of
from calor.resources.values import JsonMapping, JsonObject

Check = Callable[[ResolvedType | None, AdoptContext], Awaitable[bool]]


async def exists(resource_type: ResolvedType | None, ctx: LookupContext) -> bool:
    """Whether the physical id is of an object that the stack's owner can see. Types without `exists` accept any id, as
    it means nothing outside the stack."""
    if not ctx.physical_id:
        return False
    if has_nested_stack(resource_type):
        return await ctx.owns_stack(ctx.physical_id)
    look = contract_of(resource_type).exists
    return True if look is None else await _allowed(look(ctx))


async def is_adoptable(resource_type: ResolvedType | None, ctx: AdoptContext) -> bool:
    """Whether a stack may adopt the object with the physical id."""
    contract = contract_of(resource_type)
    look = contract.is_adoptable or contract.exists
    return True if look is None else await _allowed(look(ctx))


async def _allowed(answer: Awaitable[bool]) -> bool:
    try:
        return await answer
    except (NotFound, Forbidden):
        return False


def adoptable_data(resource_type: ResolvedType | None, given: JsonMapping) -> JsonObject:
    """The part of the adoption data that a resource accepts. Names with an underscore are reserved for the engine."""
    declared = contract_of(resource_type).adopted_data
    return {name: given[name] for name in declared if name in given and not name.startswith("_")}
