"""A stack as its template and environment define it: every value resolved as far as can be known.

These are the values; `defining` makes them. Nothing has to exist for them: what only the cloud will know is
`Unknown`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from calor.graph import Graph
from calor.language.diagnostics import Report, Severity
from calor.language.environment import Environment
from calor.language.expressions import FunctionError
from calor.language.library import Found, Library
from calor.language.parameters import ParameterValues
from calor.language.template import ResourceText, Template
from calor.language.values import bare, has_secret

if TYPE_CHECKING:
    from calor.language.scope import TemplateScope


@dataclass(frozen=True, slots=True)
class Facade:
    """The resource of the parent template that a template implements."""

    metadata: Any
    deletion_policy: Any
    update_policy: Any


@dataclass(slots=True)
class ResourceDefinition:
    """A resource with its expressions compiled and its properties resolved."""

    name: str
    type_name: str
    found: Found | None
    text: ResourceText
    expression: Any
    metadata_expression: Any
    policy_expression: Any
    external_expression: Any
    deletion_policy: str
    metadata: Any = None
    given: dict[str, Any] = field(default_factory=dict)
    """The properties as the template gives them."""
    values: dict[str, Any] = field(default_factory=dict)
    """All properties of the type: translated, converted, with defaults."""
    refers_to: dict[str, None] = field(default_factory=dict)
    """The resources that its own expressions name, in their order."""
    failed: bool = False
    child: Definition | None = None
    _bare: dict[str, Any] | None = None

    def value(self, name: str) -> Any:
        """A property without wrappers, as types compare them with each other."""
        if self._bare is None:
            self._bare = bare(self.values)
        return self._bare.get(name)


class Peers:
    """The resources of a definition, indexed as types ask for them."""

    def __init__(self, resources: Mapping[str, ResourceDefinition]) -> None:
        self._resources = resources
        self._types: dict[str, list[ResourceDefinition]] = {}
        for resource in resources.values():
            if resource.found is not None:
                self._types.setdefault(resource.found.type_name, []).append(resource)
        self._values: dict[tuple[str, str], dict[Any, list[ResourceDefinition]]] = {}

    def of_type(self, type_name: str) -> Sequence[ResourceDefinition]:
        return self._types.get(type_name, ())

    def having(self, type_name: str, name: str, value: Any) -> Sequence[ResourceDefinition]:
        key = (type_name, name)
        if key not in self._values:
            index: dict[Any, list[ResourceDefinition]] = {}
            for resource in self.of_type(type_name):
                index.setdefault(_hashable(resource.value(name)), []).append(resource)
            self._values[key] = index
        return self._values[key].get(_hashable(value), ())

    def named(self, name: Any) -> ResourceDefinition | None:
        return self._resources.get(name) if isinstance(name, str) else None


def _hashable(value: Any) -> Any:
    return repr(value) if isinstance(value, (dict, list)) else value


@dataclass(slots=True)
class Definition:
    """The result: what the stack is to be, and what is wrong with it."""

    template: Template
    environment: Environment
    parameters: ParameterValues
    conditions: dict[str, bool | None]
    resources: dict[str, ResourceDefinition]
    graph: Graph[str]
    outputs: dict[str, Any]
    output_expressions: dict[str, Any]
    output_errors: dict[str, FunctionError]
    report: Report
    scope: TemplateScope
    """What its functions can read, to evaluate them again when resources exist."""
    library: Library
    _secret_names: frozenset[str] | None = None

    def secret_names(self) -> frozenset[str]:
        """The names of outputs, and of attributes of resources here and below, that are secret or hold secrets."""
        if self._secret_names is None:
            names = {name for name, value in self.outputs.items() if has_secret(value)}
            for resource in self.resources.values():
                if resource.found is not None:
                    names.update(name for name, one in resource.found.attributes.items() if one.secret)
                if resource.child is not None:
                    names |= resource.child.secret_names()
            self._secret_names = frozenset(names)
        return self._secret_names

    @property
    def ok(self) -> bool:
        """Whether a stack can be made of it."""
        return not any(d.severity is Severity.ERROR and not d.deferred for d in self.report)
