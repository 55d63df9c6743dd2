"""Refuses updates with changes that a resource type does not support, before anything is done."""

from __future__ import annotations

from calor.language.definition import Definition
from calor.language.diagnostics import Diagnostic, Report, dotted
from calor.plan.kinds import Kind
from calor.plan.steps import Plan, Step
from calor.plan.type_facts import may_refuse
from calor.service.errors import Invalid

CODE = "E420"


def may_be_refused(definition: Definition) -> bool:
    """Whether a stack or its nested stacks have resources whose types refuse some changes."""
    for resource in definition.resources.values():
        found: object = resource.resource_type
        if isinstance(found, type) and may_refuse(found):
            return True
        if resource.child is not None and may_be_refused(resource.child):
            return True
    return False


def check_possible(plan: Plan) -> None:
    """Raises Invalid if a step is certain to be refused."""
    refused = [step for step in plan.all_steps() if step.kind is Kind.FORBIDDEN and step.refused]
    if refused:
        raise Invalid.of([_diagnostic(step) for step in refused])


def _diagnostic(step: Step) -> Diagnostic:
    """The refused change, with the path through the stacks and the position in the file."""
    report = Report(step.template.locate) if step.template is not None else Report()
    own: tuple[str | int, ...] = ()
    if step.resource is not None and step.template is not None:
        own = (*step.resource.text.path, step.template.version.words.properties, step.refused[0])
    above = ".".join(f"resources.{name}" for name in step.path[:-1])
    report.error(CODE, step.reason, own, path=".".join(part for part in (above, dotted(own)) if part))
    return next(iter(report))
