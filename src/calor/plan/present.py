"""Stacks and resources as they are, as far as plans look at them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from calor.language.definition import Definition, ResourceDefinition
from calor.language.evaluation import Evaluated
from calor.language.expressions import resolve_top
from calor.language.library import Declarations
from calor.language.registry import Registry
from calor.language.schema import ResourceType
from calor.language.scope import States
from calor.language.values import bare, has_secret, masked
from calor.plan import choosing, ordering
from calor.plan.decision import Present, Wanted, implementation_of

METADATA = "_metadata"
"""The metadata as the template gave them; those of the resource may have changed since, by signals."""
UPDATE_POLICY = "_update_policy"
IMPLEMENTATION = "_implementation"
DELETION_POLICY = "_deletion_policy"
EXTERNAL = "_external"
NESTED = "_nested"
UNHEALTHY = "_unhealthy"
"""Marks a resource of which somebody has said that it is not well."""
MASKED = "_masked"
"""Where a resource keeps the properties that are secret, or hold secrets, as they are shown."""
MADE_FOR = "_made_for"
"""Where a resource that every update replaces notes for which action it was made: that one does not replace it."""


class Typed(Protocol):
    """What tells the type of a resource."""

    @property
    def type_name(self) -> str: ...
    @property
    def data(self) -> dict[str, Any]: ...


class Row(choosing.DefinedRow, ordering.Row, Typed, Protocol):
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
    def properties(self) -> dict[str, Any]: ...
    @property
    def metadata(self) -> dict[str, Any]: ...
    @property
    def attributes(self) -> dict[str, Any]: ...
    @property
    def requires(self) -> list[str]: ...


@dataclass(frozen=True, slots=True)
class PresentStack:
    """A stack with its resources, and the stacks below these."""

    id: str
    name: str
    project: str
    depth: int = 0
    complete: bool = True
    definition: str | None = None
    """The digest of what it is."""
    rows: Sequence[Row] = ()
    resources: Mapping[str, Any] = field(default_factory=dict)
    """The resources as its template writes them."""
    below: Mapping[str, PresentStack] = field(default_factory=dict)
    """The stacks below its resources, by their ids."""
    timeout: float | None = None
    exists: bool = True
    """False for one that a step is to make: its id only stands for it."""
    foreseeable: bool = True
    """Whether it is known how the steps before leave it."""
    drifted: bool = False
    """Whether something in it is not what it was made as."""

    @property
    def well(self) -> bool:
        """Whether it, and all below it, is as it was meant to be."""
        here = self.complete and not self.drifted and all(row.status == "COMPLETE" for row in self.rows)
        return here and all(stack.well for stack in self.below.values())

    @property
    def size(self) -> int:
        """How many resources there are in it, and below."""
        return len({row.name for row in self.rows}) + sum(stack.size for stack in self.below.values())


def declared_type(row: Typed, declaration: Declarations) -> type[ResourceType] | None:
    """The type by which a resource was made; None for a template. The row has the name that the template uses, which
    may be an alias: what that stands for is known only by the environment it was made with."""
    return implementing_type(row.type_name, row.data, declaration)


def implementing_type(
    type_name: str, data: Mapping[str, Any] | None, declaration: Declarations
) -> type[ResourceType] | None:
    return declaration((data or {}).get(IMPLEMENTATION, type_name))


def present_of(row: Row | None, declaration: Declarations, occasion: str | None = None) -> Present | None:
    """`occasion` is the action that is under way, if one is."""
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
        renewed=occasion is not None and row.data.get(MADE_FOR) == occasion,
    )


def wanted_of(
    definition: Definition,
    resource: ResourceDefinition,
    evaluated: Evaluated,
    states: States,
    registry: Registry,
) -> Wanted:
    external = None
    if resource.text.external_id is not None:
        scope = definition.scope.with_states(states)
        external = str(bare(resolve_top(resource.external_expression, scope)))
    return Wanted(
        type_name=resource.type_name,
        found=resource.found,
        properties=evaluated.values,
        metadata=evaluated.metadata,
        update_policy=policy_of(definition, resource, states),
        external_id=external,
        restricted=registry.restricted_actions(resource.name),
    )


def policy_of(definition: Definition, resource: ResourceDefinition, states: States) -> Any:
    """The update policy as the template gives it, without the defaults of the type."""
    if not resource.text.update_policy:
        return {}
    return resolve_top(resource.policy_expression, definition.scope.with_states(states)) or {}


def remembered(resource: ResourceDefinition, policy: Any, data: Mapping[str, Any]) -> dict[str, Any]:
    """What a resource keeps of the definition that it has come to follow, for the next comparison."""
    implementation = implementation_of(resource.found, resource.type_name)
    kept = {
        UPDATE_POLICY: bare(policy) or None,
        IMPLEMENTATION: implementation if implementation != resource.type_name else None,
        DELETION_POLICY: resource.deletion_policy if resource.deletion_policy != "Delete" else None,
    }
    others = {name: value for name, value in data.items() if name not in kept}
    return others | {name: value for name, value in kept.items() if value is not None}


def masked_properties(values: Mapping[str, Any]) -> dict[str, Any]:
    """Those properties that are secret, or hold secrets, as they are shown."""
    return {name: masked(value) for name, value in values.items() if has_secret(value)}


def shown_properties(values: Mapping[str, Any]) -> dict[str, Any]:
    """All properties, those that are secret as they are shown."""
    return {**bare(dict(values)), **masked_properties(values)}


def noting_masks(data: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The data of a resource that has got these properties."""
    others = {name: value for name, value in data.items() if name != MASKED}
    secret = masked_properties(values)
    return {**others, MASKED: secret} if secret else others
