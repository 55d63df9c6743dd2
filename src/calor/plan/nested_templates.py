"""The template and definition of a resource's nested stack, for plans and for the engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from calor.language import template as structure
from calor.language.budget import check_members
from calor.language.defining import define
from calor.language.definition import Definition, Facade, ResourceDefinition
from calor.language.diagnostics import Report
from calor.language.environment import Environment
from calor.language.evaluation import Evaluated
from calor.language.expressions import FunctionError
from calor.language.library import Library, Missing, ResolvedType, TemplateType
from calor.language.nesting import child_parameters, members_locator
from calor.language.parameters import StackIdentity
from calor.language.template import Template
from calor.language.values import bare
from calor.resources.context import GroupContext
from calor.resources.contract import contract_of
from calor.resources.values import JsonMapping, JsonObject

INVALID = "StackValidationFailed"
LIMIT = "RequestLimitExceeded"


@dataclass(frozen=True, slots=True)
class NestedTemplate:
    """The template and parameters of a nested stack."""

    template: Template
    parameters: JsonObject = field(default_factory=dict)
    implementing: tuple[str, str] | None = None
    """The type name and the URL of a template resource."""
    pause: float = 0.0
    """Seconds to wait before the next stage."""
    library: Library | None = None
    """The library for its types, if not the parent's: members that a batch does not touch may need a template from an
    earlier request."""
    is_fetched: bool = False
    """Whether it was fetched from a URL, so that it may refer to others."""

    def environment(self, above: Definition, resource: ResourceDefinition) -> Environment:
        return above.environment.nested(resource.name, self.parameters, self.implementing)


def template_of(
    above: Definition, resource: ResourceDefinition, evaluated: Evaluated
) -> NestedTemplate | None:
    """The template of a template resource, or of one that refers to a URL; None if the type generates the template.
    Raises FunctionError."""
    resource_type = resource.resource_type
    if isinstance(resource_type, TemplateType):
        return NestedTemplate(
            resource_type.template,
            child_parameters(evaluated.values),
            (resource.type_name, resource_type.url),
        )
    address = resource_type.child_address(evaluated.values) if resource_type is not None else None
    if address is None:
        return None
    url, parameters = address
    fetched = above.library.template(url, resource.type_name)
    if isinstance(fetched, Missing):
        raise FunctionError(fetched.message, "ValueError")
    return NestedTemplate(fetched.template, bare(parameters), is_fetched=True)


def stages(
    resource_type: ResolvedType,
    above: Definition,
    resource: ResourceDefinition,
    context: GroupContext,
    values: JsonMapping,
    rename: Callable[[JsonObject], JsonObject] | None = None,
    most: int | None = None,
) -> list[NestedTemplate]:
    """The successive templates of a group, one for each batch; `context` is passed to its type. `rename` renames the
    members of a template. Fails if all batches together have more than `most` members. Raises FunctionError, as do
    types."""
    contract = contract_of(resource_type)
    allowed, members = above.library.world.max_members, contract.member_count(values)
    if allowed is not None and members > allowed:
        raise FunctionError(f"a group of {members} members is too large: {allowed} are allowed", LIMIT)
    check_members(above.library.world.sizes, members, dict(values))
    if contract.stages is not None:
        way, total = [], 0
        for stage in contract.stages(context, values):
            total += len(stage.template.get("resources") or ())
            if most is not None and total > most:
                raise FunctionError("too many batches for a preview", LIMIT)
            way.append((stage.template, stage.pause))
    else:
        assert contract.stack_template is not None
        way = [(contract.stack_template(context, values), 0.0)]
    if rename is not None:
        way = [(rename(data), pause) for data, pause in way]
    return [replace(parse_generated(data, above, resource), pause=pause) for data, pause in way]


def parse_generated(data: JsonObject, above: Definition, resource: ResourceDefinition) -> NestedTemplate:
    """Parses a template that a type has generated. Raises FunctionError."""
    words = above.template.version.words
    report = Report(members_locator(above.template.locate, resource, words.properties))
    template = structure.parse(data, resource.name, report, above.library.world.checks)
    if template is None:
        raise FunctionError(next(iter(report)).full_message, INVALID)
    return NestedTemplate(template)


def define_nested(
    below: NestedTemplate,
    above: Definition,
    resource: ResourceDefinition,
    evaluated: Evaluated,
    identity: StackIdentity,
    depth: int,
) -> Definition:
    """The definition of the nested stack. Raises FunctionError."""
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
    for problem in report:
        if problem.is_fatal:
            raise FunctionError(problem.full_message, INVALID)
    return definition
