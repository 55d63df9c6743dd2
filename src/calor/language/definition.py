"""A stack as its template and environment define it: every value resolved as far as it can be.

`defining` creates definitions. No resource has to exist for them: values that only the cloud will know are `Unknown`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from calor.graph import Graph
from calor.language.diagnostics import Report, Severity
from calor.language.environment import Environment
from calor.language.expressions import Expression, FunctionError, resolve_top
from calor.language.library import Library, ResolvedType
from calor.language.parameters import ParameterValues
from calor.language.template import ResourceText, Template
from calor.language.values import TemplateValue, bare, has_secret

if TYPE_CHECKING:
    from calor.language.scope import TemplateScope


@dataclass(frozen=True, slots=True)
class Facade:
    """The parent template's resource that a nested template implements."""

    metadata: TemplateValue
    deletion_policy: TemplateValue
    update_policy: TemplateValue


@dataclass(slots=True)
class ResourceDefinition:
    """A resource with its expressions compiled and its properties resolved."""

    name: str
    type_name: str
    resource_type: ResolvedType | None
    text: ResourceText
    expression: Expression
    metadata_expression: Expression
    policy_expression: Expression
    external_expression: Expression
    deletion_policy: str
    metadata: TemplateValue = None
    given: dict[str, TemplateValue] = field(default_factory=dict)
    """The properties as the template gives them."""
    values: dict[str, TemplateValue] = field(default_factory=dict)
    """All properties of the type: translated, converted, with defaults filled in."""
    refers_to: dict[str, None] = field(default_factory=dict)
    """The resources that its own expressions refer to, in order."""
    failed: bool = False
    child: Definition | None = None
    _bare: dict[str, TemplateValue] | None = None

    def value(self, name: str) -> TemplateValue:
        """A property without wrappers, for comparisons with other resources."""
        if self._bare is None:
            self._bare = bare(self.values)
        return self._bare.get(name)


class PeerIndex:
    """The resources of a definition, indexed for resource types."""

    def __init__(self, resources: Mapping[str, ResourceDefinition]) -> None:
        self._resources = resources
        self._types: dict[str, list[ResourceDefinition]] = {}
        for resource in resources.values():
            if resource.resource_type is not None:
                self._types.setdefault(resource.resource_type.type_name, []).append(resource)
        self._values: dict[tuple[str, str], dict[TemplateValue, list[ResourceDefinition]]] = {}

    def of_type(self, type_name: str) -> Sequence[ResourceDefinition]:
        return self._types.get(type_name, ())

    def having(self, type_name: str, name: str, value: object) -> Sequence[ResourceDefinition]:
        key = (type_name, name)
        if key not in self._values:
            index: dict[TemplateValue, list[ResourceDefinition]] = {}
            for resource in self.of_type(type_name):
                index.setdefault(_hashable(resource.value(name)), []).append(resource)
            self._values[key] = index
        return self._values[key].get(_hashable(value), ())

    def named(self, name: object) -> ResourceDefinition | None:
        return self._resources.get(name) if isinstance(name, str) else None


def _hashable(value: object) -> TemplateValue:
    return repr(value) if isinstance(value, (dict, list)) else value


class Outputs(Mapping[str, TemplateValue]):
    """The values of outputs before any resource exists. Each is evaluated on demand; one that fails is None, and
    `errors` has the reason."""

    def __init__(self, names: Iterable[str], scope: TemplateScope) -> None:
        self.expressions: dict[str, Expression] = {}
        """Those whose conditions are true."""
        self.errors: dict[str, FunctionError] = {}
        self._names = dict.fromkeys(names)
        self._scope = scope
        self._values: dict[str, TemplateValue] = {}
        self._secret: dict[str, bool] = {}

    def __getitem__(self, name: str) -> TemplateValue:
        if name not in self._values:
            self._values[name] = self._evaluated(name)
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def is_secret(self, name: str) -> bool:
        """Whether an output is secret or contains a secret. The value itself, which may be large, is not stored."""
        if name not in self._secret:
            value = self._values[name] if name in self._values else self._evaluated(name)
            self._secret[name] = has_secret(value)
        return self._secret[name]

    def _evaluated(self, name: str) -> TemplateValue:
        if name not in self._names:
            raise KeyError(name)
        try:
            value = resolve_top(self.expressions.get(name), self._scope)
            self._scope.budget.hold(name, value)
        except FunctionError as error:
            self.errors[name] = error
            return None
        return value


@dataclass(slots=True)
class Definition:
    """The desired stack, and the diagnostics of its template."""

    template: Template
    environment: Environment
    parameters: ParameterValues
    conditions: dict[str, bool | None]
    resources: dict[str, ResourceDefinition]
    graph: Graph[str]
    outputs: Outputs
    report: Report
    scope: TemplateScope
    """What the template's functions can read; also used to evaluate them again once resources exist."""
    library: Library
    _secret_names: frozenset[str] | None = None

    def secret_names(self) -> frozenset[str]:
        """The names of outputs, and of attributes of resources of this stack and its nested stacks, that are secret or
        contain secrets."""
        if self._secret_names is None:
            names = {name for name in self.outputs if self.outputs.is_secret(name)}
            for resource in self.resources.values():
                if resource.resource_type is not None:
                    names.update(
                        name for name, one in resource.resource_type.attributes.items() if one.secret
                    )
                if resource.child is not None:
                    names |= resource.child.secret_names()
            self._secret_names = frozenset(names)
        return self._secret_names

    @property
    def ok(self) -> bool:
        """Whether a stack can be created from it."""
        return not any(d.severity is Severity.ERROR and not d.deferred for d in self.report)
