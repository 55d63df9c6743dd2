"""The stack below a resource: what its type or its template makes of the resource's properties. Plans and the
engine define it here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from calor.language import template as structure
from calor.language.defining import define
from calor.language.definition import Definition, Facade, ResourceDefinition
from calor.language.diagnostics import Report
from calor.language.environment import Environment
from calor.language.evaluation import Evaluated
from calor.language.expressions import FunctionError
from calor.language.library import Library, Missing, TemplateType
from calor.language.nesting import child_parameters
from calor.language.parameters import StackIdentity
from calor.language.template import Template
from calor.language.values import bare

INVALID = "StackValidationFailed"
LIMIT = "RequestLimitExceeded"


@dataclass(frozen=True, slots=True)
class Below:
    """What a stack below is made of."""

    template: Template
    parameters: dict[str, Any] = field(default_factory=dict)
    implementing: tuple[str, str] | None = None
    """The type and the template, where a template is used as a type."""
    pause: float = 0.0
    """Seconds to rest before the next stage."""
    library: Library | None = None
    """Where its types are found, if not where those above it are: members that a batch leaves alone may be of a
    template that came along with an earlier request."""
    is_fetched: bool = False
    """Whether it came from an address, and so may what it names."""

    def environment(self, above: Definition, resource: ResourceDefinition) -> Environment:
        return above.environment.nested(resource.name, self.parameters, self.implementing)


def whole(above: Definition, resource: ResourceDefinition, evaluated: Evaluated) -> Below | None:
    """A template in the place of a type, or one that the resource names by its address; None where the type itself
    makes the template. Raises FunctionError."""
    found = resource.found
    if isinstance(found, TemplateType):
        return Below(found.template, child_parameters(evaluated.values), (resource.type_name, found.url))
    address = found.child_address(evaluated.values) if found is not None else None
    if address is None:
        return None
    url, parameters = address
    fetched = above.library.template(url, resource.type_name)
    if isinstance(fetched, Missing):
        raise FunctionError(fetched.message, "ValueError")
    return Below(fetched.template, bare(parameters), is_fetched=True)


def stages(
    found: Any,
    above: Definition,
    resource: ResourceDefinition,
    context: Any,
    values: Mapping[str, Any],
    rename: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
    most: int | None = None,
) -> list[Below]:
    """The way of a group to what its properties say; `context` is what its type is asked with. `rename` gives the
    members of a template other names. With `most`, all batches together have at most so many members. Raises
    FunctionError, as do types."""
    allowed, members = above.library.world.max_members, found.member_count(values)
    if allowed is not None and members > allowed:
        raise FunctionError(f"a group of {members} members is too large: {allowed} are allowed", LIMIT)
    if hasattr(found, "stages"):
        way, total = [], 0
        for stage in found.stages(context, values):
            total += len(stage.template.get("resources") or ())
            if most is not None and total > most:
                raise FunctionError("there are too many batches to foresee them", LIMIT)
            way.append((stage.template, stage.pause))
    else:
        way = [(found.stack_template(context, values), 0.0)]
    if rename is not None:
        way = [(rename(data), pause) for data, pause in way]
    return [replace(written(data, above, resource), pause=pause) for data, pause in way]


def written(data: dict[str, Any], above: Definition, resource: ResourceDefinition) -> Below:
    """A template that a type has made. Raises FunctionError."""
    report = Report()
    template = structure.parse(data, resource.name, report, above.library.world.checks)
    if template is None:
        raise FunctionError(next(iter(report)).full_message, INVALID)
    return Below(template)


def define_below(
    below: Below,
    above: Definition,
    resource: ResourceDefinition,
    evaluated: Evaluated,
    identity: StackIdentity,
    depth: int,
) -> Definition:
    """The definition of the stack below. Raises FunctionError."""
    report = Report(below.template.locate)
    definition = define(
        below.template,
        below.environment(above, resource),
        below.library or above.library,
        report,
        identity=identity,
        depth=depth,
        facade=Facade(evaluated.metadata, resource.deletion_policy, resource.text.update_policy),
    )
    for found in report:
        if found.prevents:
            raise FunctionError(found.full_message, INVALID)
    return definition
