"""Defines a stack: resolves a template with its environment and reports all errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from calor.graph import Cycle, Graph
from calor.language import nesting
from calor.language import properties as props
from calor.language.budget import Budget, check_members
from calor.language.conditions import StackConditions
from calor.language.definition import Definition, Facade, Outputs, PeerIndex, ResourceDefinition
from calor.language.diagnostics import Path, Report, dotted
from calor.language.environment import Environment
from calor.language.expressions import AlreadyReported, Compiler, FunctionError, calls, resolve_top
from calor.language.functions.logic import If
from calor.language.library import Library, ResolvedType, TemplateType
from calor.language.parameters import ParameterValues, StackIdentity, assign
from calor.language.resources import compile_resource, resolve_properties, validate_call
from calor.language.schema import Problem, Property
from calor.language.scope import FunctionErrors, TemplateScope
from calor.language.template import ResourceText, Template
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
    parameters come from properties that have been checked already, except with `check_parameters`."""
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
        given_at=environment.given_at,
    )
    errors = FunctionErrors(report)
    conditions = StackConditions(template.conditions, template.version, errors.malformed)
    tree = tree or Tree(Budget(library.world.sizes))
    tree.violations.update(values.violations)
    scope = TemplateScope(template, values, library, conditions, facade, strict, tree.budget)
    conditions.scope = scope
    version = template.version
    macros = {version.if_name: If(conditions, version.else_optional)} if version.if_name else {}
    compiler = Compiler(version.functions, macros, errors.malformed)
    work = Work(template, environment, library, report, errors, scope, compiler, strict, depth, tree, define)
    return _Definer(work, values).run()


class _Definer:
    """Runs the steps in order: each uses the results of the previous ones."""

    def __init__(self, work: Work, values: ParameterValues) -> None:
        self.work = work
        self.scope = work.scope
        self.values = values
        self.report = work.report
        self.words = work.words
        self.conditions = work.scope.conditions
        self.resources = work.scope.resources
        self.peers = PeerIndex({})

    def run(self) -> Definition:
        truths = self._condition_values()
        enabled = [text for text in self.work.template.resources.values() if self._is_enabled(text)]
        if not self._has_room(len(enabled)):
            enabled = []
        # Conditions are decided before anything is compiled: `if` takes one branch only.
        self.scope.enabled.update(text.name for text in enabled)
        for text in enabled:
            self.resources[text.name] = compile_resource(self.work, text)
        # Attributes are looked up in the types of other resources, so all of them are known first.
        for resource in self.resources.values():
            resolve_properties(self.work, resource)
        self.peers = PeerIndex(self.resources)
        graph = self._graph()
        for resource in self.resources.values():
            self._check_type(resource)
        outputs = self._outputs()
        return Definition(
            self.work.template,
            self.work.environment,
            self.values,
            truths,
            self.resources,
            graph,
            outputs,
            self.report,
            self.scope,
            self.work.library,
        )

    def _has_room(self, resources: int) -> bool:
        """Whether the stack may have this many more resources. Checked before they are defined: a few lines can expand
        to very many."""
        self.work.tree.resources += resources
        if self.work.library.has_room(self.work.tree.resources):
            return True
        message = f"Maximum resources per stack exceeded: {self.work.library.world.max_resources}."
        if not any(found.code == TOO_MANY for found in self.report):
            self.report.error(TOO_MANY, message, (), kind="RequestLimitExceeded", path="")
        return False

    def _condition_values(self) -> dict[str, bool | None]:
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
                deferred = self.conditions.is_well_formed(name)
                self.work.errors.failed("E405", error, at, path=dotted(error.at or at), deferred=deferred)
        return truths

    def _holds(self, condition: object, at: Path) -> bool:
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
                    message = "a resource with an external_id cannot have dependencies"
                    self.report.error("E408", message, at, kind="InvalidExternalResourceDependency", path="")
                continue
            for needed in self._needed(resource):
                graph.depend(resource.name, needed)
        try:
            graph.order()
        except Cycle as cycle:
            first = str(cycle.members[0])
            at = (self.words.resources, first)
            message = f"these resources depend on each other: {cycle}"
            self.report.error("E409", message, at, kind="CircularDependencyException", path="")
        return graph

    def _needed(self, resource: ResourceDefinition) -> dict[str, None]:
        needed = dict(resource.refers_to)
        needed.update(dict.fromkeys(name for name in resource.text.depends_on if name in self.scope.enabled))
        if isinstance(resource.resource_type, type):
            needed.update(dict.fromkeys(resource.resource_type.waits_for(resource, self.peers)))
        return needed

    def _check_type(self, resource: ResourceDefinition) -> None:
        found, text = resource.resource_type, resource.text
        if found is None or text.external_id is not None:
            return
        self._update_policy(resource, found)
        at = (*text.path, self.words.properties)
        if not resource.failed:
            for problem in self._broken_rules(resource, found):
                path = dotted((*at, *problem.path) if problem.path else text.path)
                self.report.error("E416", problem.message, (*at, *problem.path), kind=problem.kind, path=path)
        if isinstance(found, TemplateType):
            nesting.define_template(self.work, resource, found)
            return
        if not found.nested_stack or resource.failed:
            return
        members = found.member_count(resource.values)
        if not self.work.library.has_room(self.work.tree.resources + members):
            self._has_room(members)
            return
        try:
            check_members(self.work.library.world.sizes, members, resource.values)
        except FunctionError as error:
            self.work.errors.failed("E407", error, text.path, path=dotted(text.path))
            return
        data = found.child_template(resource.values)
        address = found.child_address(resource.values)
        if data is not None:
            nesting.define_group(self.work, resource, data)
        elif address is not None:
            nesting.define_address(self.work, resource, *address)

    def _broken_rules(self, resource: ResourceDefinition, found: ResolvedType) -> Iterator[Problem]:
        for rule in found.rules:
            yield from rule.problems(resource.values)
        if isinstance(found, type):
            yield from found.peer_problems(resource, self.peers)

    def _update_policy(self, resource: ResourceDefinition, found: ResolvedType) -> None:
        text = resource.text
        if not text.update_policy:
            return
        at = (*text.path, self.words.update_policy)
        schema: Mapping[str, Property] = found.update_policy
        try:
            resolved = resolve_top(resource.policy_expression, self.scope)
        except FunctionError as error:
            self.work.errors.failed("E407", error, at, path=dotted(at))
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

    def _outputs(self) -> Outputs:
        outputs = Outputs(self.work.template.outputs, self.scope)
        for output in self.work.template.outputs.values():
            at = (*output.path, self.words.value)
            if not self._holds(output.condition, (*output.path, self.words.condition)):
                continue
            expression = outputs.expressions[output.name] = self.work.compiler.compile(output.value, at)
            for call in calls(expression):
                validate_call(self.work, call)
            if self.work.library.world.checks_outputs and outputs[output.name] is None:
                self._report_output(outputs.errors.get(output.name), at)
        return outputs

    def _report_output(self, error: FunctionError | None, at: Path) -> None:
        if error is not None:
            self.work.errors.failed("E418", error, at, path=dotted(at), kind=error.kind, deferred=True)
