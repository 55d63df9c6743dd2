"""The present state of stacks and resources for plans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from calor.language.definition import Definition, ResourceDefinition
from calor.language.evaluation import Evaluated
from calor.language.expressions import resolve_top
from calor.language.library import Declarations
from calor.language.registry import Registry
from calor.language.scope import States
from calor.language.values import bare, has_secret, masked
from calor.plan import ordering, row_selection
from calor.plan.states import Present, Wanted
from calor.plan.type_facts import implementation_of
from calor.resources.contract import ResourceType, contract_of
from calor.resources.values import JsonMapping, JsonObject

METADATA = "_metadata"
"""The key for the template's metadata; the resource's may have been changed by signals."""
UPDATE_POLICY = "_update_policy"
IMPLEMENTATION = "_implementation"
DELETION_POLICY = "_deletion_policy"
EXTERNAL = "_external"
NESTED = "_nested"
UNHEALTHY = "_unhealthy"
"""Marks a resource that a user has marked unhealthy."""
MASKED = "_masked"
"""The key for the masked values of properties that are or contain secrets."""
REFERENCE = "OS::stack_id"
"""The output of a template that becomes its reference."""
CREATED_IN = "_made_for"
"""The key for the action in which a resource was created that every update replaces: that action does not replace it
again."""


class Typed(Protocol):
    """A row with the type of a resource."""

    @property
    def type_name(self) -> str: ...
    @property
    def data(self) -> JsonObject: ...


class Row(row_selection.DefinedRow, ordering.Row, Typed, Protocol):
    """A row of a resource."""

    @property
    def reason(self) -> str: ...
    @property
    def updated_at(self) -> float | None: ...
    @property
    def physical_id(self) -> str | None: ...
    @property
    def reference(self) -> Any: ...
    @property
    def properties(self) -> JsonObject: ...
    @property
    def metadata(self) -> JsonObject: ...
    @property
    def attributes(self) -> JsonObject: ...
    @property
    def requires(self) -> list[str]: ...


@dataclass(frozen=True, slots=True)
class PresentStack:
    """A stack with its resources and nested stacks."""

    id: str
    name: str
    project: str
    depth: int = 0
    complete: bool = True
    definition: str | None = None
    """The digest of its definition."""
    rows: Sequence[Row] = ()
    resources: JsonMapping = field(default_factory=dict)
    """The resources in its template."""
    below: Mapping[str, PresentStack] = field(default_factory=dict)
    """Nested stacks by id."""
    timeout: float | None = None
    exists: bool = True
    """False for a stack that a step will create: its id is a placeholder."""
    foreseeable: bool = True
    """Whether its state after previous steps is known."""
    drifted: bool = False
    """Whether a real object differs from what is stored."""

    @property
    def healthy(self) -> bool:
        """Whether it and all nested stacks are complete and have not drifted."""
        here = self.complete and not self.drifted and all(row.status == "COMPLETE" for row in self.rows)
        return here and all(stack.healthy for stack in self.below.values())

    @property
    def size(self) -> int:
        """The number of resources, nested stacks included."""
        return len({row.name for row in self.rows}) + sum(stack.size for stack in self.below.values())


def declared_type(row: Typed, declaration: Declarations) -> type[ResourceType] | None:
    """The type of a resource, also if the template uses an alias; None for a template resource."""
    return implementing_type(row.type_name, row.data, declaration)


def implementing_type(
    type_name: str, data: JsonMapping | None, declaration: Declarations
) -> type[ResourceType] | None:
    found = declaration((data or {}).get(IMPLEMENTATION, type_name))
    return None if found is None else contract_of(found)


def present_of(row: Row | None, declaration: Declarations, occasion: str | None = None) -> Present | None:
    """`occasion` identifies the current action, if there is one."""
    if row is None:
        return None
    declared = declared_type(row, declaration)
    return Present(
        type_name=row.type_name,
        action=row.action,
        status=row.status,
        properties=row.properties,
        reason=row.reason,
        masked=row.data.get(MASKED, {}),
        metadata=row.data.get(METADATA, row.metadata),
        update_policy=row.data.get(UPDATE_POLICY, {}),
        implementation=row.data.get(IMPLEMENTATION, row.type_name),
        substitute=declared.support.substitute if declared is not None else None,
        external_id=(row.physical_id or "") if row.data.get(EXTERNAL) else None,
        unhealthy=UNHEALTHY in row.data,
        replaced=row.replaced_by is not None,
        created_in_action=occasion is not None and row.data.get(CREATED_IN) == occasion,
    )


def wanted_of(
    definition: Definition,
    resource: ResourceDefinition,
    evaluated: Evaluated,
    states: States,
    registry: Registry,
    *,
    adopting: bool = False,
) -> Wanted:
    external = None
    if resource.text.external_id is not None:
        scope = definition.scope.with_states(states)
        external = str(bare(resolve_top(resource.external_expression, scope)))
    return Wanted(
        type_name=resource.type_name,
        resource_type=resource.resource_type,
        properties=evaluated.values,
        metadata=evaluated.metadata,
        update_policy=policy_of(definition, resource, states),
        external_id=external,
        adopting=adopting,
        restricted=registry.restricted_actions(resource.name),
    )


def policy_of(definition: Definition, resource: ResourceDefinition, states: States) -> Any:
    """The update policy in the template, without the type's defaults."""
    if not resource.text.update_policy:
        return {}
    return resolve_top(resource.policy_expression, definition.scope.with_states(states)) or {}


def with_definition(resource: ResourceDefinition, policy: Any, data: JsonMapping) -> JsonObject:
    """The data of a resource with the parts of its definition that later updates compare."""
    implementation = implementation_of(resource.resource_type, resource.type_name)
    kept = {
        UPDATE_POLICY: bare(policy) or None,
        IMPLEMENTATION: implementation if implementation != resource.type_name else None,
        DELETION_POLICY: resource.deletion_policy if resource.deletion_policy != "Delete" else None,
    }
    others = {name: value for name, value in data.items() if name not in kept}
    return others | {name: value for name, value in kept.items() if value is not None}


def masked_properties(values: JsonMapping) -> JsonObject:
    """The masked values of properties that are or contain secrets."""
    return {name: masked(value) for name, value in values.items() if has_secret(value)}


def shown_properties(values: JsonMapping) -> JsonObject:
    """All properties, with secrets masked."""
    return {**bare(dict(values)), **masked_properties(values)}


def with_masks(data: JsonMapping, values: JsonMapping) -> JsonObject:
    """The data of a resource with the masks of these properties."""
    others = {name: value for name, value in data.items() if name != MASKED}
    secret = masked_properties(values)
    return {**others, MASKED: secret} if secret else others
