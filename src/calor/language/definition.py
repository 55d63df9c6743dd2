"""A stack as its template and environment define it: every value resolved as far as can be known.

`define` runs all of it and reports everything it finds wrong on the way. It needs nothing to exist: what only
the cloud will know is `Unknown`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from calor.graph import Cycle, Graph
from calor.language import properties as props
from calor.language import template as structure
from calor.language.conditions import StackConditions
from calor.language.diagnostics import Path, Report, Severity, did_you_mean, dotted, within
from calor.language.environment import Environment
from calor.language.expressions import (
    VANISH,
    AlreadyReported,
    Call,
    Compiler,
    FunctionError,
    MapNode,
    calls,
    resolve,
    resolve_top,
)
from calor.language.functions.logic import If
from calor.language.library import Found, Library, Missing, TemplateType
from calor.language.parameters import ParameterValues, StackIdentity, assign
from calor.language.schema import Problem, Property
from calor.language.template import OutputText, ResourceText, Template
from calor.language.values import Unknown, bare

DELETION_POLICIES = ("Delete", "Retain", "Snapshot")


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
    deletion_policy: str
    metadata: Any = None
    given: dict[str, Any] = field(default_factory=dict)
    """The properties as the template gives them."""
    values: dict[str, Any] = field(default_factory=dict)
    """All properties of the type: translated, converted, with defaults."""
    refers_to: set[str] = field(default_factory=set)
    """The resources that its own expressions name."""
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

    @property
    def ok(self) -> bool:
        """Whether a stack can be made of it."""
        return not any(d.severity is Severity.ERROR and not d.deferred for d in self.report)


def define(
    template: Template,
    environment: Environment,
    library: Library,
    report: Report,
    *,
    identity: StackIdentity | None = None,
    strict: bool = True,
    require_parameters: bool = True,
    depth: int = 0,
    facade: Facade | None = None,
) -> Definition:
    """Resolves a template with its environment. All problems go to the report."""
    values = assign(
        template.parameters,
        environment.parameters,
        environment.parameter_defaults,
        (identity or StackIdentity()).pseudo(template.version),
        template.version,
        report,
        library.world.custom,
        strict=strict,
        require=require_parameters,
    )
    return _Definer(template, environment, library, report, values, strict, depth, facade).run()


class _Definer:
    """Works through a template in order: each step uses what the ones before it have found."""

    def __init__(
        self,
        template: Template,
        environment: Environment,
        library: Library,
        report: Report,
        values: ParameterValues,
        strict: bool,
        depth: int,
        facade: Facade | None,
    ) -> None:
        self.template = template
        self.environment = environment
        self.library = library
        self.report = report
        self.values = values
        self.strict = strict
        self.depth = depth
        self.facade_of = facade
        self.version = template.version
        self.words = template.version.words
        self.resources: dict[str, ResourceDefinition] = {}
        self.enabled: set[str] = set()
        self.output_expressions: dict[str, Any] = {}
        self.reported: set[Path] = set()
        self.files = library.files
        self.mappings = template.mappings
        self.conditions = StackConditions(template.conditions, self.version, self._complain)
        self.conditions.scope = self
        macros = {self.version.if_name: If(self.conditions, self.version.else_optional)} if self.version.if_name else {}
        self.compiler = Compiler(self.version.functions, macros, self._complain)

    def run(self) -> Definition:
        truths = self._truths()
        enabled = [text for text in self.template.resources.values() if self._is_enabled(text)]
        self.enabled = {text.name for text in enabled}
        for text in enabled:
            self.resources[text.name] = self._compiled(text)
        for resource in self.resources.values():
            self._resolve(resource)
        self.peers = Peers(self.resources)
        graph = self._graph()
        for resource in self.resources.values():
            self._check_type(resource)
        outputs, errors = self._outputs()
        return Definition(
            self.template,
            self.environment,
            self.values,
            truths,
            self.resources,
            graph,
            outputs,
            self.output_expressions,
            errors,
            self.report,
        )

    # What functions ask for.

    def parameter(self, name: str) -> Any:
        if name in self.values.values:
            return self.values.values[name]
        if name in self.values.pseudo:
            return self.values.pseudo[name]
        if name in self.values.invalid:
            raise AlreadyReported()
        if name in self.values.missing:
            if self.strict:
                raise AlreadyReported()
            raise FunctionError(f"the parameter `{name}` has no value", "UserParameterMissing")
        known = [*self.template.parameters, *self.values.pseudo]
        word = "get_param: {}" if self.version.is_hot else "Ref: {}"
        hint = did_you_mean(name, known, word)
        raise FunctionError(f"there is no parameter `{name}`", "UserParameterMissing", hint)

    def has_parameter(self, name: str) -> bool:
        return name in self.template.parameters or name in self.values.pseudo

    def has_resource(self, name: str) -> bool:
        return name in self.enabled

    def reference(self, name: str) -> Any:
        return Unknown(name)

    def attribute(self, resource: str, attribute: str, path: Sequence[Any]) -> Any:
        return Unknown(None)

    def all_attributes(self, resource: str) -> Any:
        return Unknown(None)

    def check_attribute(self, resource: str, attribute: str) -> None:
        definition = self.resources.get(resource)
        found = definition.found if definition else None
        if found is None or attribute in found.attributes:
            return
        if isinstance(found, TemplateType) or found.nested_stack or found.open_attributes or found.placeholder:
            return
        hint = did_you_mean(attribute, found.attributes)
        message = f"`{resource}` ({found.type_name}) has no attribute `{attribute}`"
        raise FunctionError(message, "InvalidTemplateAttribute", hint)

    def facade(self, what: str) -> Any:
        if self.facade_of is None:
            raise FunctionError("there is no parent resource: this template is not used as a type", "AttributeError")
        return getattr(self.facade_of, what)

    def availability_zones(self) -> list[str]:
        return list(self.library.world.availability_zones)

    # Conditions.

    def _complain(self, error: FunctionError, path: Path) -> None:
        self.reported.add(path)
        self.report.error("E404", error.message, path, hint=error.hint)

    def _truths(self) -> dict[str, bool | None]:
        truths: dict[str, bool | None] = {}
        for name in self.conditions.names:
            at = (self.words.conditions, name)
            try:
                for call in calls(self.conditions.expression(name)):
                    call.validate(self)
                truths[name] = self.conditions.named(name)
            except FunctionError as error:
                truths[name] = None
                # Heat evaluates a condition only when something uses it; what uses it is refused then.
                deferred = self.conditions.is_written_well(name)
                self._report_error("E405", error, at, path=dotted(error.at or at), deferred=deferred)
        return truths

    def _report_error(
        self,
        code: str,
        error: FunctionError,
        at: Path,
        *,
        path: str,
        kind: str | None = None,
        deferred: bool = False,
    ) -> None:
        """Reports a function's error once, where it happened."""
        where = error.at or at
        if isinstance(error, AlreadyReported) or where in self.reported:
            return
        self.reported.add(where)
        kind = kind or (error.kind if error.kind in _TELLING_KINDS else "StackValidationFailed")
        self.report.error(code, error.message, where, kind=kind, path=path, hint=error.hint, deferred=deferred)

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

    # Resources.

    def _compiled(self, text: ResourceText) -> ResourceDefinition:
        words = self.words
        found = self.library.find(text.type, text.name, self.environment.registry)
        if isinstance(found, Missing):
            hint = found.hint or (self._type_hint(text.type) if found.code == "E401" else None)
            self.report.error(found.code, found.message, (*text.path, words.type), path="", hint=hint)
        return ResourceDefinition(
            name=text.name,
            type_name=text.type,
            found=None if isinstance(found, Missing) else found,
            text=text,
            expression=self.compiler.compile(text.properties, (*text.path, words.properties)),
            metadata_expression=self.compiler.compile(text.metadata, (*text.path, words.metadata)),
            deletion_policy=self._deletion_policy(text, None if isinstance(found, Missing) else found),
        )

    def _type_hint(self, type_name: str) -> str | None:
        return did_you_mean(type_name, self.library.world.type_names())

    def _deletion_policy(self, text: ResourceText, found: Found | None) -> str:
        at = (*text.path, self.words.deletion_policy)
        if text.external_id is not None:
            return "Retain"
        if text.deletion_policy is None:
            return "Delete"
        try:
            value = bare(resolve(self.compiler.compile(text.deletion_policy, at), self))
        except FunctionError as error:
            self._report_error("E406", error, at, path=dotted(at))
            return "Delete"
        policies = {policy: policy for policy in DELETION_POLICIES}
        if self.version.lower_case_policies:
            policies.update({policy.lower(): policy for policy in DELETION_POLICIES})
        if not isinstance(value, str) or value not in policies:
            message = f"`{value}` is no deletion policy; there are {', '.join(policies)}"
            self.report.error("E406", message, at, path=dotted(text.path), hint=did_you_mean(str(value), policies))
            return "Delete"
        policy = policies[value]
        if policy == "Snapshot" and found is not None and not found.snapshots_on_delete:
            self.report.error("E406", f"{found.type_name} cannot be kept as a snapshot", at)
        return policy

    def _resolve(self, resource: ResourceDefinition) -> None:
        """Evaluates metadata and properties, and reads the properties against the type's schema."""
        text = resource.text
        try:
            resource.metadata = resolve_top(resource.metadata_expression, self)
        except FunctionError as error:
            if error.kind in _TELLING_KINDS:
                at = (*text.path, self.words.metadata)
                self._report_error("E407", error, at, path=dotted(error.at or at), kind=error.kind)
        for expression in (resource.expression, resource.metadata_expression):
            self._check_references(expression)
            self._validate_calls(expression)
        resource.given = self._given(resource)
        found = resource.found
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
            custom=self.library.world.custom,
            with_values=self.strict,
        )
        resource.values = reading.values
        at = (*text.path, self.words.properties)
        for problem in reading.problems:
            if text.external_id is not None:
                break
            resource.failed = True
            if problem.code == "E412" and resource.failed and self._lost(resource, problem.message):
                continue
            self.report.error(
                problem.code,
                problem.message,
                (*at, *problem.at),
                kind="Property error",
                path=dotted((*at, *problem.shown_at)),
                hint=problem.hint or self._function_hint(resource, problem.at),
            )

    def _function_hint(self, resource: ResourceDefinition, at: Path) -> str | None:
        """Whether what does not fit is a function whose name is misspelt."""
        value: Any = resource.text.properties
        for step in at:
            try:
                value = value[step]
            except (KeyError, IndexError, TypeError):
                return None
        if not isinstance(value, dict) or len(value) != 1:
            return None
        (name,) = value
        return did_you_mean(str(name), self.version.all_functions) if name not in self.version.functions else None

    def _lost(self, resource: ResourceDefinition, message: str) -> bool:
        """Whether a required property seems missing only because its value could not be computed."""
        written = resource.text.properties
        return any(f"`{name}`" in message for name in written if name not in resource.given)

    def _validate_calls(self, expression: Any) -> None:
        for call in calls(expression):
            try:
                call.validate(self)
            except FunctionError as error:
                self._report_error("E404", error, call.path, path=dotted(call.path))

    def _check_references(self, expression: Any) -> None:
        for call in calls(expression):
            try:
                call.resource(self)
            except FunctionError as error:
                if error.kind == "InvalidTemplateReference":
                    self._report_error("E403", error, call.path, path=dotted(call.path[:-1]), kind=error.kind)

    def _given(self, resource: ResourceDefinition) -> dict[str, Any]:
        at = (*resource.text.path, self.words.properties)
        expression = resource.expression
        if isinstance(expression, Call):
            try:
                whole = bare(resolve_top(expression, self))
            except FunctionError as error:
                self._property_error(resource, error, at)
                return {}
            if whole is not None and not isinstance(whole, dict):
                self.report.error("E414", "the properties must be a map", at)
            return whole if isinstance(whole, dict) else {}
        if not isinstance(expression, MapNode):
            return dict(expression)
        given = {}
        for name, value in expression.entries.items():
            try:
                resolved = resolve(value, self)
            except FunctionError as error:
                self._property_error(resource, error, (*at, name))
            else:
                if resolved is not VANISH:
                    given[name] = resolved
        return given

    def _property_error(self, resource: ResourceDefinition, error: FunctionError, at: Path) -> None:
        resource.failed = True
        if error.kind == "InvalidTemplateReference":
            self._report_error("E403", error, at, path=dotted(error.at[:-1] if error.at else at), kind=error.kind)
        else:
            self._report_error("E407", error, at, path=dotted(at), kind="Property error")

    # Dependencies.

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
        needed: dict[str, None] = {}
        for expression in (resource.expression, resource.metadata_expression):
            for call in calls(expression):
                try:
                    name = call.resource(self)
                except FunctionError:
                    continue
                if name is not None:
                    needed[name] = None
                    resource.refers_to.add(name)
        needed.update(dict.fromkeys(name for name in resource.text.depends_on if name in self.enabled))
        if isinstance(resource.found, type):
            needed.update(dict.fromkeys(resource.found.waits_for(resource, self.peers)))
        return needed

    # What types say of their own.

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
            self._template_below(resource, found)
            return
        if not found.nested_stack or resource.failed:
            return
        data = found.child_template(resource.values)
        address = found.child_address(resource.values)
        if data is not None:
            self._group_below(resource, data)
        elif address is not None:
            self._address_below(resource, *address)

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
            policy = resolve_top(self.compiler.compile(text.update_policy, at), self)
        except FunctionError as error:
            self._report_error("E407", error, at, path=dotted(at))
            return
        for problem in props.read(policy, schema, custom=self.library.world.custom).problems:
            self.report.error(
                problem.code, problem.message, (*at, *problem.at), path=dotted((*at, *problem.shown_at)), hint=problem.hint
            )

    def _template_below(self, resource: ResourceDefinition, found: TemplateType) -> None:
        read = self.library.read(found.url)
        assert not isinstance(read, Missing)
        child, problems = read
        assert child is not None
        report = Report(child.locate)
        report.extend(problems)
        self._check_facade(resource, found)
        implementing = (resource.type_name, found.url)
        parameters = _child_parameters(resource.values)
        environment = self.environment.nested(resource.name, parameters, implementing)
        facade = Facade(resource.metadata, resource.deletion_policy, resource.text.update_policy or {})
        self._below(resource, child, environment, report, found.url, facade)

    def _check_facade(self, resource: ResourceDefinition, found: TemplateType) -> None:
        """A template in the place of a type has to take what users of the type give, and give what they read."""
        replaced = self.library.world.declaration(resource.type_name)
        if replaced is None or replaced.template_file:
            return
        at = (*resource.text.path, self.words.type)
        name = resource.type_name
        lacking = [
            f"the parameter `{prop}`, which {name} requires"
            for prop, declared in replaced.properties.items()
            if declared.required and prop not in found.properties
        ]
        lacking += [
            f"a default for `{prop}`, which {name} does not have"
            for prop, declared in found.properties.items()
            if declared.required and prop not in replaced.properties
        ]
        lacking += [
            f"the output `{attribute}`, an attribute of {name}"
            for attribute in replaced.attributes
            if attribute not in found.attributes and attribute != "show"
        ]
        for what in lacking:
            self.report.error("E419", f"{found.url} stands for {name} and lacks {what}", at, path="")

    def _group_below(self, resource: ResourceDefinition, data: dict[str, Any]) -> None:
        place = self.report.locate(resource.text.path)
        report = Report(lambda path: place)
        child = structure.parse(data, resource.name, report, self.library.world.custom)
        assert child is not None
        environment = self.environment.nested(resource.name, {}, None)
        self._below(resource, child, environment, report, "nested_stack", None)

    def _address_below(self, resource: ResourceDefinition, url: str, parameters: dict[str, Any]) -> None:
        """A nested stack whose template the resource names by its address."""
        prefix = f"{dotted(resource.text.path)}<nested_stack>"
        web = url.startswith(("http://", "https://"))
        found = self.library.template(url, resource.type_name) if web else Missing("E402", f"{url} is no web address")
        if isinstance(found, Missing):
            self.report.error(found.code, found.message, resource.text.path, kind="ValueError", path=prefix)
            return
        environment = self.environment.nested(resource.name, parameters, None)
        report = Report(found.template.locate)
        self._below(resource, found.template, environment, report, "nested_stack", None)

    def _below(
        self,
        resource: ResourceDefinition,
        child: Template,
        environment: Environment,
        report: Report,
        shown: str,
        facade: Facade | None,
    ) -> None:
        text = resource.text
        prefix = f"{dotted(text.path)}<{shown}>"
        if self.depth >= self.library.world.max_depth:
            message = f"stacks are nested deeper than {self.library.world.max_depth} levels"
            self.report.error("E417", message, text.path, kind="RequestLimitExceeded", path=prefix)
            return
        resource.child = define(
            child,
            environment,
            self.library,
            report,
            identity=StackIdentity(name=resource.name),
            strict=False,
            depth=self.depth + 1,
            facade=facade,
        )
        self.report.extend(within(found, prefix) for found in report)

    # Outputs.

    def _outputs(self) -> tuple[dict[str, Any], dict[str, FunctionError]]:
        values: dict[str, Any] = {}
        errors: dict[str, FunctionError] = {}
        for output in self.template.outputs.values():
            try:
                values[output.name] = self._output(output)
            except FunctionError as error:
                values[output.name] = None
                errors[output.name] = error
                where = error.at or (*output.path, self.words.value)
                if not isinstance(error, AlreadyReported) and where not in self.reported:
                    self.reported.add(where)
                    path = dotted((*output.path, self.words.value))
                    self.report.error(
                        "E418", error.message, where, kind=error.kind, path=path, hint=error.hint, deferred=True
                    )
        return values, errors

    def _output(self, output: OutputText) -> Any:
        if not self._holds(output.condition, (*output.path, self.words.condition)):
            return None
        expression = self.compiler.compile(output.value, (*output.path, self.words.value))
        self.output_expressions[output.name] = expression
        self._validate_calls(expression)
        return resolve_top(expression, self)


_TELLING_KINDS = frozenset(
    {"InvalidTemplateReference", "InvalidTemplateAttribute", "InvalidTemplateVersion", "UserParameterMissing"}
)


def _child_parameters(values: Mapping[str, Any]) -> dict[str, Any]:
    """Properties as values for a nested template's parameters."""
    given = {}
    for name, value in values.items():
        if value is None:
            continue
        if isinstance(value, list) and not any(isinstance(item, (dict, list, Unknown)) for item in value):
            value = ",".join("" if item is None else str(item) for item in bare(value))
        given[name] = value
    return given
