"""What decisions need to know of resource types, beyond their hooks."""

from __future__ import annotations

from functools import cache

from calor.language.library import ResolvedType, TemplateType
from calor.lifecycle import Action
from calor.resources.contract import contract_of

TEMPLATE = "template"
"""The implementation of all templates."""


def always_replaced_type(resource_type: ResolvedType | None) -> bool:
    contract = contract_of(resource_type)
    return contract.always_replaced or contract.is_always_replaced is not None


def may_outlive_failure(action: str, resource_type: ResolvedType | None) -> bool:
    """Whether a resource may be kept after a failed action because its object may be healthy. After a failed check it
    is not."""
    return action != Action.CHECK and contract_of(resource_type).is_healthy is not None


@cache
def may_refuse(resource_type: ResolvedType) -> bool:
    """Whether a type may reject changes for good."""
    return contract_of(resource_type).refusal is not None or any(
        one.immutable for one in resource_type.properties.values()
    )


def has_nested_stack(resource_type: ResolvedType | None) -> bool:
    """Whether resources of a type have nested stacks."""
    return isinstance(resource_type, TemplateType) or (
        resource_type is not None and resource_type.nested_stack
    )


def implementation_of(resource_type: ResolvedType | None, type_name: str) -> str:
    """The type behind an alias. All templates count as the same, as a stack can be updated to any template."""
    if resource_type is None:
        return type_name
    return TEMPLATE if isinstance(resource_type, TemplateType) else resource_type.type_name
