"""Defines a stack: works through a template with its environment and reports everything wrong on the way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from calor.graph import Cycle, Graph
from calor.language import nesting
from calor.language import properties as props
from calor.language.conditions import StackConditions
from calor.language.definition import Definition, Facade, Peers, ResourceDefinition
from calor.language.diagnostics import Path, Report, dotted
from calor.language.environment import Environment
from calor.language.expressions import AlreadyReported, Compiler, FunctionError, calls, resolve_top
from calor.language.functions.logic import If
from calor.language.library import Found, Library, TemplateType
from calor.language.parameters import ParameterValues, StackIdentity, assign
from calor.language.resources import compiled, resolve_properties, validate_call
from calor.language.schema import Problem, Property
from calor.language.scope import FunctionErrors, TemplateScope
from calor.language.template import OutputText, ResourceText, Template
from calor.language.values import entries
from calor.language.work import Tree, Work

TOO_MANY = "E421"


def define(
    template: Template,
    environment: Environment,
    library: Library,
    report: Report,
    *,
    identity: StackIdentity | None = None,
    strict: bool = True,
    require_parameters: bool = True,
    check_parameters: bool = False,
    depth: int = 0,
    tree: Tree | None = None,
    facade: Facade | None = None,
) -> Definition:
    """Resolves a template with its environment. All problems go to the report. Nested stacks are not `strict`: their
    parameters come from properties that have been checked, unless `check_parameters` says that they do not."""
    values = assign(
        template.parameters,
        environment.parameters,
        environment.parameter_defaults,
        (identity or StackIdentity()).pseudo(template.version),
        template.version,
        report,
        library.world.checks,
        strict=strict or check_parameters,
        require=require_parameters,
        deferred=not strict,
    )
    errors = FunctionErrors(report)
    conditions = StackConditions(template.conditions, template.version, errors.complain)
    scope = TemplateScope(template, values, library, conditions, facade, strict)
    conditions.scope = scope
    version = template.version
    macros = {version.if_name: If(conditions, version.else_optional)} if version.if_name else {}
    compiler = Compiler(version.functions, macros, errors.complain)
    work = Work(
        template, environment, library, report, errors, scope, compiler, strict, depth, tree or Tree(), define
    )
    return _Definer(work, values).run()


class _Definer:
    """Takes the steps in order: each uses what the ones before it have found."""

    def __init__(self, work: Work, values: ParameterValues) -> None:
        self.work = work
        self.scope = work.scope
        self.values = values
        self.report = work.report
        self.words = work.words
        self.conditions = work.scope.conditions
        self.resources = work.scope.resources
        self.peers = Peers({})
        self.output_expressions: dict[str, Any] = {}

    def run(self) -> Definition:
        truths = self._truths()
        enabled = [text for text in self.work.template.resources.values() if self._is_enabled(text)]
        if not self._has_room(len(enabled)):
            enabled = []
        # Conditions are decided before anything is compiled: `if` takes one branch only.
        self.scope.enabled.update(text.name for text in enabled)
        for text in enabled:
            self.resources[text.name] = compiled(self.work, text)
        # Attributes are looked up in the types of other resources, so all of them are known first.
        for resource in self.resources.values():
            resolve_properties(self.work, resource)
        self.peers = Peers(self.resources)
        graph = self._graph()
        for resource in self.resources.values():
            self._check_type(resource)
        outputs, errors = self._outputs()
        return Definition(
            self.work.template,
            self.work.environment,
            self.values,
            truths,
            self.resources,
            graph,
            outputs,
            self.output_expressions,
            errors,
            self.report,
            self.scope,
            self.work.library,
        )

    def _has_room(self, resources: int) -> bool:
        """Whether the stack may have so many more resources. Asked before anything is made of them: a few lines can
        stand for very many."""
        self.work.tree.resources += resources
        if self.work.library.has_room(self.work.tree.resources):
            return True
        message = f"Maximum resources per stack exceeded: {self.work.library.world.max_resources}."
        if not any(found.code == TOO_MANY for found in self.report):
            self.report.error(TOO_MANY, message, (), kind="RequestLimitExceeded", path="")
        return False

    def _truths(self) -> dict[str, bool | None]:
        truths: dict[str, bool | None] = {}
        for name in self.conditions.names:
            at = (self.words.conditions, name)
            try:
                for call in calls(self.conditions.expression(name)):
                    call.validate(self.scope)
                truths[name] = self.conditions.named(name)
            except FunctionError as error:
                truths[name] = None
                # Heat evaluates a condition only when something uses it; what uses it is refused then.
                deferred = self.conditions.is_written_well(name)
                self.work.errors.tell("E405", error, at, path=dotted(error.at or at), deferred=deferred)
        return truths

    def _holds(self, condition: Any, at: Path) -> bool:
        if condition is None:
            return True
        try:
            return self.conditions.truth(self.conditions.written(condition, at))
        except FunctionError as error:
            if not isinstance(error, AlreadyReported):
                self.report.error("E405", error.message, at, hint=error.hint)
            return True

    def _is_enabled(self, text: ResourceText) -> bool:
        return self._holds(text.condition, (*text.path, self.words.condition))

    def _graph(self) -> Graph[str]:
        graph: Graph[str] = Graph()
        for resource in self.resources.values():
            graph.add(resource.name)
            if resource.text.external_id is not None:
                if resource.text.depends_on:
                    at = (*resource.text.path, self.words.depends_on)
                    message = "a resource with an external_id depends on nothing"
                    self.report.error("E408", message, at, kind="InvalidExternalResourceDependency", path="")
                continue
            for needed in self._needed(resource):
                graph.depend(resource.name, needed)
        try:
            graph.order()
        except Cycle as cycle:
            first = str(cycle.members[0])
            at = (self.words.resources, first)
            message = f"these resources wait for each other: {cycle}"
            self.report.error("E409", message, at, kind="CircularDependencyException", path="")
        return graph

    def _needed(self, resource: ResourceDefinition) -> dict[str, None]:
        needed = dict(resource.refers_to)
        needed.update(dict.fromkeys(name for name in resource.text.depends_on if name in self.scope.enabled))
        if isinstance(resource.found, type):
            needed.update(dict.fromkeys(resource.found.waits_for(resource, self.peers)))
        return needed

    def _check_type(self, resource: ResourceDefinition) -> None:
        found, text = resource.found, resource.text
        if found is None or text.external_id is not None:
            return
        self._update_policy(resource, found)
        at = (*text.path, self.words.properties)
        if not resource.failed:
            for problem in self._broken_rules(resource, found):
                path = dotted((*at, *problem.path) if problem.path else text.path)
                self.report.error("E416", problem.message, (*at, *problem.path), kind=problem.kind, path=path)
        if isinstance(found, TemplateType):
            nesting.template_below(self.work, resource, found)
            return
        if not found.nested_stack or resource.failed:
            return
        members = found.member_count(resource.values)
        if not self.work.library.has_room(self.work.tree.resources + members):
            self._has_room(members)
            return
        data = found.child_template(resource.values)
        address = found.child_address(resource.values)
        if data is not None:
            nesting.group_below(self.work, resource, data)
        elif address is not None:
            nesting.address_below(self.work, resource, *address)

    def _broken_rules(self, resource: ResourceDefinition, found: Found) -> Iterator[Problem]:
        for rule in found.rules:
            yield from rule.problems(resource.values)
        if isinstance(found, type):
            yield from found.peer_problems(resource, self.peers)

    def _update_policy(self, resource: ResourceDefinition, found: Found) -> None:
        text = resource.text
        if not text.update_policy:
            return
        at = (*text.path, self.words.update_policy)
        schema: Mapping[str, Property] = found.update_policy
        try:
            resolved = resolve_top(resource.policy_expression, self.scope)
        except FunctionError as error:
            self.work.errors.tell("E407", error, at, path=dotted(at))
            return
        policy = entries(resolved, schema)
        if policy is None:
            self.report.error("E414", f"the {self.words.update_policy} must be a map", at)
            return
        for problem in props.read(policy, schema, checks=self.work.library.world.checks).problems:
            self.report.error(
                problem.code,
                problem.message,
                (*at, *problem.at),
                path=dotted((*at, *problem.shown_at)),
                hint=problem.hint,
            )

    def _outputs(self) -> tuple[dict[str, Any], dict[str, FunctionError]]:
        values: dict[str, Any] = {}
        errors: dict[str, FunctionError] = {}
        for output in self.work.template.outputs.values():
            try:
                values[output.name] = self._output(output)
            except FunctionError as error:
                values[output.name] = None
                errors[output.name] = error
                at = (*output.path, self.words.value)
                self.work.errors.tell("E418", error, at, path=dotted(at), kind=error.kind, deferred=True)
        return values, errors

    def _output(self, output: OutputText) -> Any:
        if not self._holds(output.condition, (*output.path, self.words.condition)):
            return None
        expression = self.work.compiler.compile(output.value, (*output.path, self.words.value))
        self.output_expressions[output.name] = expression
        for call in calls(expression):
            validate_call(self.work, call)
        return resolve_top(expression, self.scope)
