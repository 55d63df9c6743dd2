"""Compiles single resources: type, policies, and properties, which are resolved and checked against the schema."""

from __future__ import annotations

from calor.language import properties as props
from calor.language.definition import ResourceDefinition
from calor.language.diagnostics import Path, did_you_mean, dotted
from calor.language.expressions import OMITTED, Call, Expression, FunctionError, MapNode, Node, calls, resolve
from calor.language.library import Missing, ResolvedType
from calor.language.scope import NAMED_KINDS
from calor.language.template import ResourceText
from calor.language.values import TemplateValue, bare, entries, has_secret
from calor.language.work import Work

DELETION_POLICIES = ("Delete", "Retain", "Snapshot")


def compile_resource(work: Work, text: ResourceText) -> ResourceDefinition:
    words = work.words
    found = work.library.find(text.type, text.name, work.environment.registry)
    if isinstance(found, Missing):
        hint = found.hint or (_type_hint(work, text.type) if found.code == "E401" else None)
        at = (*text.path, words.type)
        work.report.error(found.code, found.message, at, kind=found.kind, path="", hint=hint)
    return ResourceDefinition(
        name=text.name,
        type_name=text.type,
        resource_type=None if isinstance(found, Missing) else found,
        text=text,
        expression=work.compiler.compile(text.properties, (*text.path, words.properties)),
        metadata_expression=work.compiler.compile(text.metadata, (*text.path, words.metadata)),
        external_expression=work.compiler.compile(text.external_id, (*text.path, "external_id")),
        policy_expression=work.compiler.compile(text.update_policy, (*text.path, words.update_policy)),
        deletion_policy=_deletion_policy(work, text, None if isinstance(found, Missing) else found),
    )


def _type_hint(work: Work, type_name: str) -> str | None:
    return did_you_mean(type_name, work.library.world.type_names())


def _deletion_policy(work: Work, text: ResourceText, found: ResolvedType | None) -> str:
    at = (*text.path, work.words.deletion_policy)
    if text.external_id is not None:
        return "Retain"
    if text.deletion_policy is None:
        return "Delete"
    try:
        resolved = resolve(work.compiler.compile(text.deletion_policy, at), work.scope)
    except FunctionError as error:
        work.errors.failed("E406", error, at, path=dotted(at))
        return "Delete"
    value = bare(resolved)
    policies = {policy: policy for policy in DELETION_POLICIES}
    if work.version.lower_case_policies:
        policies.update({policy.lower(): policy for policy in DELETION_POLICIES})
    if not isinstance(value, str) or value not in policies:
        shown = "the hidden value" if has_secret(resolved) else f"`{value}`"
        message = f"{shown} is not a deletion policy; it must be one of {', '.join(policies)}"
        work.report.error("E406", message, at, path=dotted(text.path), hint=did_you_mean(value, policies))
        return "Delete"
    policy = policies[value]
    if policy == "Snapshot" and found is not None and not found.snapshots_on_delete:
        work.report.error("E406", f"{found.type_name} does not support the deletion policy Snapshot", at)
    return policy


def resolve_properties(work: Work, resource: ResourceDefinition) -> None:
    """Evaluates metadata and properties, and checks the properties against the type's schema."""
    text = resource.text
    try:
        resource.metadata = _computed_top(work, work.words.metadata, resource.metadata_expression)
    except FunctionError as error:
        if error.kind in NAMED_KINDS:
            at = (*text.path, work.words.metadata)
            work.errors.failed("E407", error, at, path=dotted(error.at or at), kind=error.kind)
    for call in (*calls(resource.expression), *calls(resource.metadata_expression)):
        _note_reference(work, resource, call)
        validate_call(work, call)
    resource.given = _given(work, resource)
    found = resource.resource_type
    if found is None or found.placeholder:
        return
    given = resource.given
    described = found.properties.get("description")
    if text.description and described is not None and described.update_allowed and "description" not in given:
        given = {**given, "description": text.description}
    reading = props.read(
        given,
        found.properties,
        found.translations,
        checks=work.library.world.checks,
    )
    resource.values = reading.values
    at = (*text.path, work.words.properties)
    for problem in reading.problems:
        if text.external_id is not None:
            break
        # Heat checks the values in a nested stack when it creates the stack.
        deferred = problem.deferred or (not work.strict and problem.code in ("E414", "E415"))
        resource.failed = resource.failed or not deferred
        if problem.missing in text.properties and problem.missing not in given:
            # The property is given, but could not be computed, which has been reported.
            continue
        if problem.code == "E415" and problem.message in work.tree.violations:
            continue
        work.report.error(
            problem.code,
            problem.message,
            (*at, *problem.at),
            kind="Property error",
            path=dotted((*at, *problem.shown_at)),
            hint=problem.hint or _function_hint(work, resource, problem.at),
            deferred=deferred,
        )


def _function_hint(work: Work, resource: ResourceDefinition, at: Path) -> str | None:
    """A hint if the wrong value is a function whose name is misspelt."""
    value: TemplateValue = resource.text.properties
    for step in at:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    if not isinstance(value, dict) or len(value) != 1:
        return None
    (name,) = value
    known = work.version.all_functions
    return did_you_mean(str(name), known) if name not in known else None


def validate_call(work: Work, call: Call) -> None:
    try:
        call.validate(work.scope)
    except FunctionError as error:
        work.errors.failed("E404", error, call.path, path=dotted(call.path))


def _note_reference(work: Work, resource: ResourceDefinition, call: Call) -> None:
    try:
        name = call.resource(work.scope)
    except FunctionError as error:
        if error.kind == "InvalidTemplateReference":
            work.errors.failed("E403", error, call.path, path=dotted(call.path[:-1]), kind=error.kind)
    else:
        if name is not None:
            resource.refers_to[name] = None


def _given(work: Work, resource: ResourceDefinition) -> dict[str, TemplateValue]:
    at = (*resource.text.path, work.words.properties)
    expression = resource.expression
    if not isinstance(expression, MapNode):
        try:
            known = resource.resource_type.properties if resource.resource_type else ()
            whole = entries(_computed_top(work, work.words.properties, expression), known)
        except FunctionError as error:
            _property_error(work, resource, error, at)
            return {}
        if whole is None:
            work.report.error("E414", "the properties must be a map", at)
        return whole or {}
    given = {}
    for name, value in expression.entries.items():
        try:
            resolved = _computed(work, name, value)
        except FunctionError as error:
            _property_error(work, resource, error, (*at, name))
        else:
            if resolved is not OMITTED:
                given[name] = resolved
    return given


def _computed(work: Work, name: str, expression: object) -> Expression:
    """The value of an expression. Raises FunctionError."""
    if not isinstance(expression, Node):
        return expression
    budget = work.scope.budget
    before = budget.spent
    value = expression.evaluate(work.scope)
    # Other values are limited by the size of the template.
    if budget.spent - before > budget.sizes.value:
        budget.hold(name, value)
    return value


def _computed_top(work: Work, name: str, expression: object) -> Expression:
    """Like `_computed`, for a value that cannot be left out and is null instead."""
    value = _computed(work, name, expression)
    return None if value is OMITTED else value


def _property_error(work: Work, resource: ResourceDefinition, error: FunctionError, at: Path) -> None:
    resource.failed = True
    if error.kind == "InvalidTemplateReference":
        work.errors.failed("E403", error, at, path=dotted(error.at[:-1] if error.at else at), kind=error.kind)
    else:
        # A placeholder ignores its properties, so a server accepts it.
        deferred = resource.resource_type is not None and resource.resource_type.placeholder
        work.errors.failed("E407", error, at, path=dotted(at), kind="Property error", deferred=deferred)
