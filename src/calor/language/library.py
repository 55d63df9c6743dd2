"""Resolves the types of resources: declared types, and templates used as types."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from calor.language import reader, template
from calor.language.budget import DEFAULT_SIZES, Sizes
from calor.language.constraints import Checks, CustomCheck, Expressions
from calor.language.diagnostics import Diagnostic, Report
from calor.language.parameters import Parameter, ParameterType
from calor.language.registry import Registry, is_template
from calor.language.schema import SUPPORTED, Attribute, DeclaredType, Property, Rule, Support, Translation
from calor.language.source import Source
from calor.language.template import Template
from calor.language.values import TemplateValue, size_of

Declarations = Callable[[str], type[DeclaredType] | None]
Fetch = Callable[[str], str]
"""The text at an http or https address. Raises OSError."""


def no_fetch(url: str) -> str:
    raise OSError("fetching is not allowed here")


@dataclass(frozen=True, slots=True)
class World:
    """What the language needs from its surroundings."""

    declaration: Declarations
    custom: CustomCheck
    expressions: Expressions
    common: Mapping[str, TemplateValue] = field(default_factory=dict)
    """The operator's resource registry; the user's takes precedence."""
    old_names: Mapping[str, str] = field(default_factory=dict)
    """Current names of types by their old names; a name may end with a star."""
    common_files: Mapping[str, str] = field(default_factory=dict)
    """Templates in the operator's registry; a user's registry cannot refer to them."""
    common_defaults: Mapping[str, TemplateValue] = field(default_factory=dict)
    """The operator's parameter_defaults; the user's take precedence."""
    fetch: Fetch = no_fetch
    type_names: Callable[[], list[str]] = list
    """All declared types, for hints."""
    availability_zones: Callable[[], Sequence[str]] = tuple
    """The zones for servers; called only if a template uses them."""
    max_depth: int = 5
    max_resources: int | None = None
    """The maximum number of resources, including those of nested stacks; None means no limit. It does not apply to
    existing stacks, whose excess resources would seem to be missing."""
    max_members: int | None = None
    """The maximum number of members of a group; None means no limit."""
    limits: reader.Limits = reader.DEFAULT_LIMITS
    sizes: Sizes = DEFAULT_SIZES
    checks_outputs: bool = True
    """Whether outputs are evaluated when a stack is defined, to report their errors. These do not prevent the creation
    of a stack, so servers evaluate only the outputs that are requested."""

    @property
    def checks(self) -> Checks:
        return Checks(self.custom, self.expressions)


_ANY_SIZE = 1 << 62

_KINDS: dict[ParameterType, type] = {
    ParameterType.STRING: str,
    ParameterType.NUMBER: float,
    ParameterType.LIST: list,
    ParameterType.JSON: dict,
    ParameterType.BOOLEAN: bool,
}


class TemplateType:
    """A template used as a resource type: its parameters are properties, its outputs attributes."""

    support: Support = SUPPORTED
    update_policy: Mapping[str, Property] = {}
    translations: tuple[Translation, ...] = ()
    rules: tuple[Rule, ...] = ()
    snapshots_on_delete = False
    secret_reference = False
    placeholder = False

    def __init__(
        self,
        url: str,
        child: Template,
        type_name: str,
        defaults: Mapping[str, TemplateValue],
        problems: tuple[Diagnostic, ...],
    ) -> None:
        self.url = url
        self.problems = problems
        self.template = child
        self.size = size_of(dict(child.data), _ANY_SIZE)
        """The minimum size in bytes of a stack of this template."""
        self.type_name = type_name
        self.properties = {
            name: _property(declared, name in defaults) for name, declared in child.parameters.items()
        }
        self.attributes = {
            name: Attribute(None, output.description) for name, output in child.outputs.items()
        }


def _property(declared: Parameter, has_default: bool) -> Property:
    """The default remains with the parameter: a property without a value is not passed on."""
    return Property(
        _KINDS[declared.kind],
        declared.description,
        required=declared.default is None and not has_default,
        update_allowed=True,
        constraints=declared.constraints,
        converts=declared.kind in (ParameterType.LIST, ParameterType.JSON),
    )


ResolvedType = type[DeclaredType] | TemplateType


@dataclass(frozen=True, slots=True)
class Missing:
    """The reason why a type is not available. `code` and `kind` are those of the error to report."""

    code: str
    message: str
    hint: str | None = None
    kind: str = "StackValidationFailed"


class Library:
    """The types that a request can use. Each template is read once."""

    def __init__(
        self, world: World, files: Mapping[str, TemplateValue], sources: Mapping[str, Source] | None = None
    ) -> None:
        self.world = world
        self.parameter_defaults: Mapping[str, TemplateValue] = {}
        """The translations of the environment, which apply in every nested template."""
        self.files = files
        self.fetched: dict[str, str] = {}
        """Templates from the web, by URL. They are stored with the request, so that what is created is what was
        checked."""
        self._sources = sources or {}
        self._templates: dict[tuple[str, bool], tuple[Template | None, tuple[Diagnostic, ...]] | Missing] = {}
        self._found: dict[tuple[int, str, str], ResolvedType | Missing] = {}
        self._registries: list[Registry] = []

    def with_files(self, files: Mapping[str, TemplateValue]) -> Library:
        """A library with additional files; its own files take precedence."""
        if files.keys() <= self.files.keys():
            return self
        made = Library(self.world, {**files, **self.files}, self._sources)
        made.parameter_defaults = self.parameter_defaults
        return made

    def has_room(self, resources: int) -> bool:
        """Whether a stack may have this many resources."""
        return self.world.max_resources is None or resources <= self.world.max_resources

    def find(self, type_name: str, resource: str, registry: Registry) -> ResolvedType | Missing:
        """The type of a resource. Looked up once for each type name, and resource if the registry names it."""
        specific = registry.user.get("resources") or {}
        owner = resource if isinstance(specific, dict) and resource in specific else ""
        key = (self._number(registry), type_name, owner)
        if key not in self._found:
            self._found[key] = self._find(type_name, resource, registry)
        return self._found[key]

    def replaced(self, type_name: str, found: TemplateType, registry: Registry) -> ResolvedType | None:
        """The type without the template that replaces it: the one that other resources get for the name, or else the
        declared type; None if there is neither."""
        general = self.find(type_name, "", registry)
        if isinstance(general, TemplateType) and general.url != found.url:
            return general
        declared = self.world.declaration(type_name)
        if isinstance(general, type) and declared is None:
            return general
        return None if declared is None or declared.template_file else declared

    def _number(self, registry: Registry) -> int:
        """Registries are compared by identity; references to them keep their ids from being reused."""
        if not any(known is registry for known in self._registries[-8:]):
            self._registries.append(registry)
        return id(registry)

    def _find(self, type_name: str, resource: str, registry: Registry) -> ResolvedType | Missing:
        missing: Missing | None = None
        for target in registry.targets(type_name, resource):
            if is_template(target.name):
                found: ResolvedType | Missing = self.template(
                    target.name, type_name, by_operator=target.by_operator
                )
            else:
                found = self._declared(target.name, type_name)
            if not isinstance(found, Missing):
                return found
            missing = missing or found
        return missing or Missing("E401", f"there is no resource type `{type_name}`")

    def _declared(self, target: str, type_name: str) -> ResolvedType | Missing:
        declared = self.world.declaration(target)
        if declared is None:
            return Missing("E401", f"there is no resource type `{target}`")
        if declared.template_file and declared.template_file in self.world.common_files:
            return self.template(declared.template_file, type_name, by_operator=True)
        return declared

    def template(self, url: str, type_name: str, *, by_operator: bool = False) -> TemplateType | Missing:
        """A template as a type. Only the operator's registry can reach templates of the server."""
        read = self.read(url, by_operator=by_operator)
        if isinstance(read, Missing):
            return read
        child, problems = read
        if child is None:
            reason = problems[0].message if problems else "it cannot be read"
            if problems and problems[0].code == reader.TOO_LARGE:
                return Missing(reader.TOO_LARGE, f"{url} is too large: {reason}", kind=problems[0].kind)
            return Missing("E402", f"{url} is not a template: {reason}")
        return TemplateType(url, child, type_name, self.parameter_defaults, problems)

    def read(
        self, url: str, *, by_operator: bool = False
    ) -> tuple[Template | None, tuple[Diagnostic, ...]] | Missing:
        """The template at a URL, with the diagnostics of its structure."""
        key = (url, by_operator)
        if key not in self._templates:
            self._templates[key] = self._read(url, by_operator)
        return self._templates[key]

    def _read(self, url: str, by_operator: bool) -> tuple[Template | None, tuple[Diagnostic, ...]] | Missing:
        report = Report()
        source = self._sources.get(url)
        if source is None:
            text = self.files.get(url)
            if text is None and by_operator:
                text = self.world.common_files.get(url)
            if text is None:
                if not url.startswith(("http://", "https://")):
                    return Missing("E402", f"the template {url} is not among the files of the request")
                try:
                    text = self.fetched[url] = self.world.fetch(url)
                except OSError as error:
                    return Missing("E402", f"the template {url} cannot be fetched: {error}")
            if isinstance(text, dict):
                source = Source(url, "", text)
            else:
                source = reader.read_mapping(text, url, report, self.world.limits)
        if source is None:
            return None, tuple(report)
        report.locate = source.place
        return template.parse(source.data, url, report, self.world.checks), tuple(report)
