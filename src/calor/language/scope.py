"""What functions see: parameters, files, the states of resources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, Protocol

from calor.language.conditions import StackConditions
from calor.language.definition import Facade, ResourceDefinition
from calor.language.diagnostics import Path, Report, did_you_mean
from calor.language.expressions import AlreadyReported, FunctionError
from calor.language.library import Library, TemplateType
from calor.language.parameters import ParameterValues, parameter_missing
from calor.language.template import Template
from calor.language.values import Unknown, concealed, has_secret

TELLING_KINDS = frozenset(
    {"InvalidTemplateReference", "InvalidTemplateAttribute", "InvalidTemplateVersion", "UserParameterMissing"}
)
"""Kinds of errors that API messages name; the others are plain validation failures there."""


class FunctionErrors:
    """Reports what goes wrong in functions, each place once."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._told: set[Path] = set()

    def complain(self, error: FunctionError, path: Path) -> None:
        """A function is written wrongly."""
        self._told.add(path)
        self._report.error("E404", error.message, path, hint=error.hint)

    def tell(
        self,
        code: str,
        error: FunctionError,
        at: Path,
        *,
        path: str,
        kind: str | None = None,
        deferred: bool = False,
    ) -> None:
        """A function failed, where it says or else at the place given; `path` is the place for the API."""
        where = error.at or at
        if isinstance(error, AlreadyReported) or where in self._told:
            return
        self._told.add(where)
        kind = kind or (error.kind if error.kind in TELLING_KINDS else "StackValidationFailed")
        self._report.error(
            code, error.message, where, kind=kind, path=path, hint=error.hint, deferred=deferred
        )


class States(Protocol):
    """What is known of a template's resources."""

    def reference(self, name: str) -> Any: ...

    def attribute(self, resource: str, attribute: str, path: Sequence[Any]) -> Any: ...

    def all_attributes(self, resource: str) -> Any: ...


class NothingYet:
    """No resource has been created: a reference is not known yet, and looks like the resource's name."""

    def reference(self, name: str) -> Any:
        return Unknown(name)

    def attribute(self, resource: str, attribute: str, path: Sequence[Any]) -> Any:
        return Unknown(None)

    def all_attributes(self, resource: str) -> Any:
        return Unknown(None)


class TemplateScope:
    """What the functions of a template can read. Resources are as `states` says."""

    def __init__(
        self,
        template: Template,
        values: ParameterValues,
        library: Library,
        conditions: StackConditions,
        facade: Facade | None,
        strict: bool,
        states: States | None = None,
    ) -> None:
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
        self._strict = strict
        self._states: States = states or NothingYet()

    def with_states(self, states: States) -> TemplateScope:
        """The same scope at another time, with what is known of the resources then."""
        made = copy(self)
        made._states = states
        return made

    def parameter(self, name: str) -> Any:
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
        """Parameters whose declarations could not be read."""
        section = self._template.data.get(self._template.version.words.parameters)
        return set(section) - set(self._template.parameters) if isinstance(section, dict) else set()

    def has_parameter(self, name: str) -> bool:
        return name in self._template.parameters or name in self._values.pseudo

    def has_resource(self, name: str) -> bool:
        return name in self.enabled

    def resource_hint(self, name: str) -> str | None:
        if name in self._template.resources:
            return f"the condition of `{name}` is false"
        return did_you_mean(name, self.enabled)

    def reference(self, name: str) -> Any:
        found = self._states.reference(name)
        definition = self.resources.get(name)
        is_secret = definition is not None and getattr(definition.found, "secret_reference", False)
        return concealed(found) if is_secret else found

    def attribute(self, resource: str, attribute: str, path: Sequence[Any]) -> Any:
        found = self._states.attribute(resource, attribute, path)
        definition = self.resources.get(resource)
        is_secret = definition is not None and gives_secret(definition, attribute, path)
        return concealed(found) if is_secret else found

    def all_attributes(self, resource: str) -> Any:
        found = self._states.all_attributes(resource)
        definition = self.resources.get(resource)
        if definition is None or not isinstance(found, dict):
            return found
        return {
            name: concealed(value) if gives_secret(definition, name) else value
            for name, value in found.items()
        }

    def check_attribute(self, resource: str, attribute: str) -> None:
        definition = self.resources.get(resource)
        found = definition.found if definition else None
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

    def facade(self, what: str) -> Any:
        if self._facade is None:
            raise FunctionError(
                "there is no parent resource: this template is not used as a type", "AttributeError"
            )
        return getattr(self._facade, what)

    def availability_zones(self) -> list[str]:
        return list(self._zones())


def gives_secret(resource: ResourceDefinition, attribute: str, path: Sequence[Any] = ()) -> bool:
    """Whether an attribute of a resource is a credential, or holds one: because its type says so, or because a stack
    below makes it of one."""
    found = resource.found
    declared = found.attributes.get(attribute) if found is not None else None
    if declared is not None and declared.secret:
        return True
    below = resource.child
    if below is None:
        return False
    output = attribute.removeprefix("Outputs.")
    if output in below.outputs:
        return has_secret(below.outputs[output])
    if attribute == "outputs":
        return any(map(has_secret, below.outputs.values()))
    # resource.NAME.ATTRIBUTE, an attribute of all members, or `attributes` with a path to one.
    named = {part for step in (attribute, *path) for part in str(step).split(".")}
    return not named.isdisjoint(below.secret_names())
