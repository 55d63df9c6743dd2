"""Finds what a resource's type means: a declared type, or a template used as one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from calor.language import reader, template
from calor.language.constraints import Checks, CustomCheck, Expressions
from calor.language.diagnostics import Diagnostic, Report
from calor.language.parameters import Kind, Parameter
from calor.language.registry import Registry, is_template
from calor.language.schema import SUPPORTED, Attribute, Property, ResourceType, Rule, Support, Translation
from calor.language.source import Source
from calor.language.template import Template

Declarations = Callable[[str], type[ResourceType] | None]
Fetch = Callable[[str], str]
"""The text at an http or https address. Raises OSError."""


def no_fetch(url: str) -> str:
    raise OSError("nothing is fetched here")


@dataclass(frozen=True, slots=True)
class World:
    """What the language has to ask others for."""

    declaration: Declarations
    custom: CustomCheck
    expressions: Expressions
    common: Mapping[str, Any] = field(default_factory=dict)
    """The operator's registry of types, below the user's."""
    old_names: Mapping[str, str] = field(default_factory=dict)
    """Types that go by another name now; a name may end in a star."""
    common_files: Mapping[str, str] = field(default_factory=dict)
    """Templates that the operator's registry names; a user's registry cannot reach them."""
    common_defaults: Mapping[str, Any] = field(default_factory=dict)
    """The operator's parameter_defaults, below the user's."""
    fetch: Fetch = no_fetch
    type_names: Callable[[], list[str]] = list
    """All declared types, for hints."""
    availability_zones: Callable[[], Sequence[str]] = tuple
    """The zones that servers can be placed in; asked for where a template does."""
    max_depth: int = 5
    max_resources: int | None = None
    """How many resources a template may ask for, with those of all stacks below; None is no limit. Nothing that exists
    is held against it: what is over would seem to be gone."""
    max_members: int | None = None
    """How many members a group may get; None is no limit."""
    limits: reader.Limits = reader.DEFAULT_LIMITS

    @property
    def checks(self) -> Checks:
        return Checks(self.custom, self.expressions)


_KINDS: dict[Kind, type] = {
    Kind.STRING: str,
    Kind.NUMBER: float,
    Kind.LIST: list,
    Kind.JSON: dict,
    Kind.BOOLEAN: bool,
}


class TemplateType:
    """A template used as a resource type: its parameters are properties, its outputs attributes."""

    support: Support = SUPPORTED
    update_policy: Mapping[str, Property] = {}
    translations: tuple[Translation, ...] = ()
    rules: tuple[Rule, ...] = ()
    snapshots_on_delete = False
    placeholder = False

    def __init__(
        self,
        url: str,
        child: Template,
        type_name: str,
        defaults: Mapping[str, Any],
        problems: tuple[Diagnostic, ...],
    ) -> None:
        self.url = url
        self.problems = problems
        self.template = child
        self.type_name = type_name
        self.properties = {
            name: _property(declared, name in defaults) for name, declared in child.parameters.items()
        }
        self.attributes = {
            name: Attribute(None, output.description) for name, output in child.outputs.items()
        }


def _property(declared: Parameter, has_default: bool) -> Property:
    """The default stays with the parameter: a property that is not given is not passed on."""
    return Property(
        _KINDS[declared.kind],
        declared.description,
        required=declared.default is None and not has_default,
        update_allowed=True,
        constraints=declared.constraints,
        converts=declared.kind in (Kind.LIST, Kind.JSON),
    )


Found = type[ResourceType] | TemplateType


@dataclass(frozen=True, slots=True)
class Missing:
    """Why a type cannot be had. `code` and `kind` are those of the error to report."""

    code: str
    message: str
    hint: str | None = None
    kind: str = "StackValidationFailed"


class Library:
    """The types that one request can use; templates are read once."""

    def __init__(
        self, world: World, files: Mapping[str, Any], sources: Mapping[str, Source] | None = None
    ) -> None:
        self.world = world
        self.parameter_defaults: Mapping[str, Any] = {}
        """The environment's, which hold in every nested template."""
        self.files = files
        self.fetched: dict[str, str] = {}
        """What came from the web, by address. It is kept with the request, so that what is made is what was checked,
        and not what a server answers the next time."""
        self._sources = sources or {}
        self._templates: dict[tuple[str, bool], tuple[Template | None, tuple[Diagnostic, ...]] | Missing] = {}
        self._found: dict[tuple[int, str, str], Found | Missing] = {}
        self._registries: list[Registry] = []

    def with_files(self, files: Mapping[str, Any]) -> Library:
        """A library that has more files, where it has none of that name itself."""
        if files.keys() <= self.files.keys():
            return self
        made = Library(self.world, {**files, **self.files}, self._sources)
        made.parameter_defaults = self.parameter_defaults
        return made

    def has_room(self, resources: int) -> bool:
        """Whether a stack may have so many resources."""
        return self.world.max_resources is None or resources <= self.world.max_resources

    def find(self, type_name: str, resource: str, registry: Registry) -> Found | Missing:
        """What a type means for a resource. Looked up once for each type, and resource if that matters."""
        specific = registry.user.get("resources") or {}
        owner = resource if isinstance(specific, dict) and resource in specific else ""
        key = (self._number(registry), type_name, owner)
        if key not in self._found:
            self._found[key] = self._find(type_name, resource, registry)
        return self._found[key]

    def replaced(self, type_name: str, found: TemplateType, registry: Registry) -> Found | None:
        """What a type would mean without the template that was found for it: what it means for all other resources,
        or else the declared type; None if it would mean nothing."""
        general = self.find(type_name, "", registry)
        if isinstance(general, TemplateType) and general.url != found.url:
            return general
        declared = self.world.declaration(type_name)
        if isinstance(general, type) and declared is None:
            return general
        return None if declared is None or declared.template_file else declared

    def _number(self, registry: Registry) -> int:
        """Registries are compared by identity; keeping them alive keeps their ids from being used again."""
        if not any(known is registry for known in self._registries[-8:]):
            self._registries.append(registry)
        return id(registry)

    def _find(self, type_name: str, resource: str, registry: Registry) -> Found | Missing:
        missing: Missing | None = None
        for target in registry.targets(type_name, resource):
            if is_template(target.name):
                found: Found | Missing = self.template(target.name, type_name, by_operator=target.by_operator)
            else:
                found = self._declared(target.name, type_name)
            if not isinstance(found, Missing):
                return found
            missing = missing or found
        return missing or Missing("E401", f"there is no resource type `{type_name}`")

    def _declared(self, target: str, type_name: str) -> Found | Missing:
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
                    return Missing("E402", f"the template {url} did not come along")
                try:
                    text = self.fetched[url] = self.world.fetch(url)
                except OSError as error:
                    return Missing("E402", f"the template {url} cannot be fetched: {error}")
            if isinstance(text, dict):
                return template.parse(text, url, report, self.world.checks), tuple(report)
            source = reader.read_mapping(text, url, report, self.world.limits)
        if source is None:
            return None, tuple(report)
        report.locate = source.locate
        return template.parse(source.data, url, report, self.world.checks), tuple(report)
