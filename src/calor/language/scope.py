"""What functions can read: parameters, files and the states of resources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Protocol

from calor.language.budget import Budget
from calor.language.conditions import StackConditions
from calor.language.definition import Facade, ResourceDefinition
from calor.language.diagnostics import Path, Report, did_you_mean
from calor.language.expressions import AlreadyReported, FunctionError
from calor.language.library import Library, ResolvedType, TemplateType
from calor.language.parameters import ParameterValues, parameter_missing
from calor.language.template import Template
from calor.language.values import TemplateValue, Unknown, concealed

NAMED_KINDS = frozenset(
    {"InvalidTemplateReference", "InvalidTemplateAttribute", "InvalidTemplateVersion", "UserParameterMissing"}
)
"""Kinds of errors that the API's messages name; others are plain validation failures."""


class FunctionErrors:
    """Reports errors in functions, one per place."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._reported: set[Path] = set()

    def malformed(self, error: FunctionError, path: Path) -> None:
        """Reports a malformed function."""
        self._reported.add(path)
        self._report.error("E404", error.message, path, hint=error.hint)

    def failed(
        self,
        code: str,
        error: FunctionError,
        at: Path,
        *,
        path: str,
        kind: str | None = None,
        deferred: bool = False,
    ) -> None:
        """Reports a function that failed, at its own path or else at the given one; `path` is the path for the API."""
        where = error.at or at
        if isinstance(error, AlreadyReported) or where in self._reported:
            return
        self._reported.add(where)
        kind = kind or (error.kind if error.kind in NAMED_KINDS else "StackValidationFailed")
        self._report.error(
            code, error.message, where, kind=kind, path=path, hint=error.hint, deferred=deferred
        )


class States(Protocol):
    """What is known about a template's resources."""

    def reference(self, name: str) -> TemplateValue: ...

    def attribute(self, resource: str, attribute: str, path: Sequence[TemplateValue]) -> TemplateValue: ...

    def all_attributes(self, resource: str) -> TemplateValue: ...


class NothingCreated:
    """The states before any resource is created: references are unknown, with the resource's name as stand-in."""

    def reference(self, name: str) -> TemplateValue:
        return Unknown(name)

    def attribute(self, resource: str, attribute: str, path: Sequence[TemplateValue]) -> TemplateValue:
        return Unknown(None)

    def all_attributes(self, resource: str) -> TemplateValue:
        return Unknown(None)


class TemplateScope:
    """What the functions of a template can read. `states` has the states of the resources."""

    def __init__(
        self,
        template: Template,
        values: ParameterValues,
        library: Library,
        conditions: StackConditions,
        facade: Facade | None,
        strict: bool,
        budget: Budget,
    ) -> None:
        self.budget = budget
        self.files: Mapping[str, str] = library.files
        self.expressions = library.world.expressions
        self.mappings = template.mappings
        self.conditions = conditions
        self.enabled: set[str] = set()
        self.resources: dict[str, ResourceDefinition] = {}
        self._template = template
        self._values = values
        self._zones = library.world.availability_zones
        self._facade = facade
        self._bad: set[str] | None = None
        self._strict = strict
        self._sizes = library.world.sizes
        self._states: States = NothingCreated()

    def with_states(self, states: States) -> TemplateScope:
        """The same scope with other states of the resources, and a new budget."""
        made = copy(self)
        made.budget = Budget(self._sizes)
        made._states = states
        return made

    def parameter(self, name: str) -> TemplateValue:
        if name in self._values.values:
            return self._values.values[name]
        if name in self._values.pseudo:
            return self._values.pseudo[name]
        if name in self._values.invalid or name in self._declared_badly():
            raise AlreadyReported()
        if name in self._values.missing:
            if self._strict:
                raise AlreadyReported()
            raise FunctionError(parameter_missing(name), "UserParameterMissing")
        known = [*self._template.parameters, *self._declared_badly(), *self._values.pseudo]
        word = "get_param: {}" if self._template.version.is_hot else "Ref: {}"
        hint = did_you_mean(name, known, word)
        raise FunctionError(parameter_missing(name), "UserParameterMissing", hint)

    def _declared_badly(self) -> set[str]:
        """Parameters with invalid declarations."""
        section = self._template.data.get(self._template.version.words.parameters)
        if self._bad is None:
            known = set(self._template.parameters)
            self._bad = set(section) - known if isinstance(section, dict) else set()
        return self._bad

    def has_parameter(self, name: str) -> bool:
        return name in self._template.parameters or name in self._values.pseudo

    def has_resource(self, name: str) -> bool:
        return name in self.enabled

    def resource_hint(self, name: str) -> str | None:
        if name in self._template.resources:
            return f"the condition of `{name}` is false"
        return did_you_mean(name, self.enabled)

    def reference(self, name: str) -> TemplateValue:
        value = self._states.reference(name)
        definition = self.resources.get(name)
        is_secret = definition is not None and refers_by_secret(definition.resource_type)
        return concealed(value) if is_secret else value

    def attribute(self, resource: str, attribute: str, path: Sequence[TemplateValue]) -> TemplateValue:
        found = self._states.attribute(resource, attribute, path)
        definition = self.resources.get(resource)
        is_secret = definition is not None and is_secret_attribute(definition, attribute, path)
        return concealed(found) if is_secret else found

    def all_attributes(self, resource: str) -> TemplateValue:
        found = self._states.all_attributes(resource)
        definition = self.resources.get(resource)
        if definition is None or not isinstance(found, dict):
            return found
        return {
            name: concealed(value) if is_secret_attribute(definition, name) else value
            for name, value in found.items()
        }

    def check_attribute(self, resource: str, attribute: str) -> None:
        definition = self.resources.get(resource)
        found = definition.resource_type if definition else None
        if found is None or attribute in found.attributes:
            return
        if (
            isinstance(found, TemplateType)
            or found.nested_stack
            or found.open_attributes
            or found.placeholder
        ):
            return
        hint = did_you_mean(attribute, found.attributes)
        message = f"`{resource}` ({found.type_name}) has no attribute `{attribute}`"
        raise FunctionError(message, "InvalidTemplateAttribute", hint)

    def facade(self, what: str) -> TemplateValue:
        if self._facade is None:
            raise FunctionError(
                "there is no parent resource: this template is not used as a type", "AttributeError"
            )
        return getattr(self._facade, what)

    def availability_zones(self) -> list[str]:
        return list(self._zones())


def refers_by_secret(found: ResolvedType | None) -> bool:
    """Whether the value of get_resource for a type is a credential."""
    return isinstance(found, type) and found.secret_reference


def declared_secret(found: ResolvedType | None, attribute: str) -> bool:
    declared = found.attributes.get(attribute) if found is not None else None
    return declared is not None and declared.secret


def is_secret_attribute(
    resource: ResourceDefinition, attribute: str, path: Sequence[TemplateValue] = ()
) -> bool:
    """Whether an attribute of a resource is or contains a credential: because its type declares so, or because a nested
    stack computes it from one."""
    if declared_secret(resource.resource_type, attribute):
        return True
    below = resource.child
    if below is None:
        return False
    output = attribute.removeprefix("Outputs.")
    if output in below.outputs:
        return below.outputs.is_secret(output)
    if attribute == "outputs":
        return any(map(below.outputs.is_secret, below.outputs))
    # resource.NAME.ATTRIBUTE, an attribute of all members, or `attributes` with a path to one.
    named = {part for step in (attribute, *path) for part in str(step).split(".")}
    return not named.isdisjoint(below.secret_names())
