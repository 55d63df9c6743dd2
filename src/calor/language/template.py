"""The structure of a template: its version, its sections and their contents, before anything is evaluated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from calor.language import declarations, versions
from calor.language.constraints import Checks
from calor.language.diagnostics import Locator, Path, Report, did_you_mean, nowhere
from calor.language.parameters import Parameter
from calor.language.values import TemplateValue
from calor.language.versions import VERSION_KEYS, Version

LONGEST_NAME = 255
"""The maximum length of a resource's name."""


@dataclass(frozen=True, slots=True)
class ResourceText:
    """A resource as written in the template."""

    name: str
    type: str
    properties: Mapping[str, TemplateValue]
    metadata: TemplateValue
    depends_on: tuple[str, ...]
    deletion_policy: TemplateValue
    update_policy: TemplateValue
    condition: TemplateValue
    external_id: TemplateValue
    description: str
    path: Path


@dataclass(frozen=True, slots=True)
class OutputText:
    """An output as written in the template."""

    name: str
    value: TemplateValue
    description: str
    condition: TemplateValue
    path: Path


@dataclass(frozen=True, slots=True)
class ParameterGroup:
    label: str
    description: str
    parameters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Template:
    """A template whose structure has been read."""

    name: str
    data: Mapping[str, TemplateValue]
    version: Version
    description: str = ""
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    parameter_groups: tuple[ParameterGroup, ...] = ()
    conditions: Mapping[str, TemplateValue] = field(default_factory=dict)
    mappings: Mapping[str, TemplateValue] = field(default_factory=dict)
    resources: Mapping[str, ResourceText] = field(default_factory=dict)
    outputs: Mapping[str, OutputText] = field(default_factory=dict)
    locate: Locator = field(default=nowhere, compare=False)


def is_template(data: object) -> bool:
    """Whether data is meant to be a template."""
    return isinstance(data, dict) and any(key in data for key in VERSION_KEYS)


def find_version(data: Mapping[str, TemplateValue], report: Report) -> Version | None:
    """The version of a template, or None after reporting the error."""
    stated = [key for key in VERSION_KEYS if key in data]
    kind = "InvalidTemplateVersion"
    if not stated:
        hint = f"start the template with `{versions.HOT_KEY}: {versions.NEWEST.date}`"
        report.error("E110", "the template does not declare its version", kind=kind, hint=hint)
        return None
    if len(stated) > 1:
        message = f"the version is ambiguous: {' and '.join(stated)} are given"
        report.error("E110", message, (stated[1],), kind=kind, path="")
        return None
    key = stated[0]
    name = data[key]
    version = versions.find(key, name) if isinstance(name, str) else None
    if version is None:
        known = versions.allowed(key)
        message = f"`{name}` is not a version of {key}; it must be one of {', '.join(known)}"
        report.error("E110", message, (key,), kind=kind, path="", hint=did_you_mean(str(name), known))
    return version


def parse(data: Mapping[str, TemplateValue], name: str, report: Report, checks: Checks) -> Template | None:
    """The template in data; None only if its version is not known."""
    version = find_version(data, report)
    if version is None:
        return None
    reader = _Structure(data, version, report)
    reader.check_sections()
    declared = declarations.declare(data.get(version.words.parameters), version, report, checks)
    resources = reader.resources()
    for both in declared.keys() & resources.keys():
        message = f"a parameter and a resource have the same name `{both}`"
        report.error("E116", message, (version.words.resources, both), path="")
    description = data.get(version.words.description)
    return Template(
        name=name,
        data=data,
        version=version,
        description=description if isinstance(description, str) else "No description",
        parameters=declared,
        parameter_groups=reader.parameter_groups(data.get(version.words.parameters)),
        conditions=reader.conditions(),
        mappings=reader.section(version.words.mappings),
        resources=resources,
        outputs=reader.outputs(),
        locate=report.locate,
    )


class _Structure:
    def __init__(self, data: Mapping[str, TemplateValue], version: Version, report: Report) -> None:
        self.data = data
        self.version = version
        self.words = version.words
        self.report = report

    def check_sections(self) -> None:
        for section in self.data:
            if section not in self.version.sections:
                hint = did_you_mean(str(section), self.version.sections)
                if section == self.words.conditions:
                    hint = "conditions require version 2016-10-14 or later"
                # Clients of Heat match this text.
                message = f"The template section is invalid: {section}"
                self.report.error(
                    "E111", message, (section,), kind="InvalidTemplateSection", path="", hint=hint
                )

    def section(self, name: str | None) -> Mapping[str, TemplateValue]:
        """A section that must be a map; a missing or empty one is an empty map."""
        content = self.data.get(name) if name else None
        if not content:
            return {}
        if not isinstance(content, dict):
            self.report.error("E112", f"`{name}` must be a map", (str(name),), path="")
            return {}
        return content

    def conditions(self) -> Mapping[str, TemplateValue]:
        name = self.words.conditions
        if not self.version.has_conditions:
            return {}
        if not isinstance(self.data.get(name, {}), dict):
            self.report.error("E112", f"`{name}` must be a map", (name,), path="")
            return {}
        return self.section(name)

    def parameter_groups(self, declared: object) -> tuple[ParameterGroup, ...]:
        name = self.words.parameter_groups
        content = self.data.get(name) if name else None
        if not content:
            return ()
        assert name is not None
        if not isinstance(content, list):
            self._group_error("must be a list of groups", (name,), name)
            return ()
        groups = []
        placed: dict[str, str] = {}
        known = declared if isinstance(declared, dict) else {}
        for index, group in enumerate(content):
            at: Path = (name, index)
            if not isinstance(group, dict) or "parameters" not in group:
                self._group_error("the group requires a list of `parameters`", at, f"{name}[{index}]")
                continue
            label = str(group.get("label", ""))
            shown = f"{name}.{label}" if label else name
            members = group["parameters"]
            if not isinstance(members, list):
                self._group_error("`parameters` must be a list of names", (*at, "parameters"), shown)
                continue
            for position, member in enumerate(members):
                spot = (*at, "parameters", position)
                if isinstance(member, (dict, list)) or member not in known:
                    hint = did_you_mean(str(member), map(str, known))
                    self._group_error(f"there is no parameter `{member}`", spot, shown, hint)
                elif member in placed:
                    self._group_error(f"`{member}` is already in the group `{placed[member]}`", spot, shown)
                else:
                    placed[member] = label
            groups.append(ParameterGroup(label, str(group.get("description", "")), tuple(map(str, members))))
        return tuple(groups)

    def _group_error(self, message: str, at: Path, shown: str, hint: str | None = None) -> None:
        self.report.error("E117", f"Parameter Groups error: {shown}: {message}", at, path="", hint=hint)

    def resources(self) -> dict[str, ResourceText]:
        found = {}
        for name, data in self.section(self.words.resources).items():
            resource = self._resource(name, data)
            if resource is not None:
                found[resource.name] = resource
        return found

    @property
    def _resource_keys(self) -> tuple[str, ...]:
        words = self.words
        keys: tuple[str, ...] = (
            words.type,
            words.properties,
            words.metadata,
            words.depends_on,
            words.deletion_policy,
            words.update_policy,
            words.description,
        )
        if self.version.has_conditions:
            keys = (*keys, words.condition, *([words.external_id] if words.external_id else []))
        return keys

    def _resource(self, name: TemplateValue, data: TemplateValue) -> ResourceText | None:
        words = self.words
        at = (words.resources, name)
        if not isinstance(data, dict):
            self.report.error("E113", f"the resource `{name}` must be a map", at, path="")
            return None
        if not isinstance(name, str) or "/" in name or not 0 < len(name) <= LONGEST_NAME:
            self.report.error("E113", f"`{name}` cannot be the name of a resource", at, path="")
            return None
        if self.version.is_hot:
            for key in data:
                if key not in self._resource_keys:
                    hint = did_you_mean(str(key), self._resource_keys)
                    self.report.error(
                        "E114",
                        f"a resource has no key `{key}`",
                        (*at, key),
                        path=f"{words.resources}.{name}",
                        hint=hint,
                    )
        type_name = data.get(words.type)
        if words.type not in data or type_name is None:
            self.report.error("E115", f"the resource `{name}` requires a `{words.type}`", at)
            return None
        if not isinstance(type_name, str):
            self.report.error("E115", f"`{words.type}` must be a string", (*at, words.type))
            return None
        return ResourceText(
            name=name,
            type=type_name,
            properties=self._map(data, words.properties, at),
            metadata=self._map(data, words.metadata, at),
            depends_on=self._depends_on(data.get(words.depends_on, ()), (*at, words.depends_on)),
            deletion_policy=self._given(data, words.deletion_policy, (str, dict), "a string", at),
            update_policy=self._map(data, words.update_policy, at),
            condition=self._given(data, words.condition, (str, bool, dict), "a condition", at)
            if self.version.has_conditions
            else None,
            external_id=self._given(data, words.external_id, (str, dict), "a string", at)
            if words.external_id and self.version.has_conditions
            else None,
            description=self._given(data, words.description, (str,), "a string", at) or "",
            path=at,
        )

    def _map(self, data: Mapping[str, TemplateValue], key: str, at: Path) -> Mapping[str, TemplateValue]:
        value = data.get(key, {})
        if isinstance(value, dict):
            return value
        hint = f"write `{key}: {{}}` or leave it out" if value is None else None
        self.report.error("E114", f"`{key}` must be a map", (*at, key), hint=hint)
        return {}

    def _given(
        self,
        data: Mapping[str, TemplateValue],
        key: str | None,
        kinds: tuple[type, ...],
        expected: str,
        at: Path,
    ) -> TemplateValue:
        """The value of an optional key, if it is of the right type."""
        if key is None or key not in data:
            return None
        if isinstance(data[key], kinds):
            return data[key]
        self.report.error("E114", f"`{key}` must be {expected}", (*at, key))
        return None

    def _depends_on(self, value: object, at: Path) -> tuple[str, ...]:
        if value == ():
            return ()
        names = [value] if isinstance(value, str) else value
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            self.report.error("E114", f"`{at[-1]}` must be a name or a list of names", at)
            return ()
        known = self.section(self.words.resources)
        for index, name in enumerate(names):
            if name not in known:
                spot = at if isinstance(value, str) else (*at, index)
                hint = did_you_mean(name, map(str, known))
                message = f"there is no resource `{name}`"
                self.report.error("E403", message, spot, kind="InvalidTemplateReference", hint=hint)
        return tuple(names)

    def outputs(self) -> dict[str, OutputText]:
        words = self.words
        found = {}
        allowed = (
            words.value,
            words.description,
            *([words.condition] if self.version.has_conditions else []),
        )
        for name, data in self.section(words.outputs).items():
            at = (words.outputs, name)
            if not isinstance(data, dict):
                self.report.error("E118", f"the output `{name}` must be a map with a `{words.value}`", at)
                continue
            if self.version.is_hot:
                for key in data:
                    if key not in allowed:
                        hint = did_you_mean(str(key), allowed)
                        self.report.warn(
                            "W103", f"an output has no key `{key}`; it is ignored", (*at, key), hint=hint
                        )
            if words.value not in data:
                self.report.error("E118", f"the output `{name}` requires a `{words.value}`", at)
                continue
            found[str(name)] = OutputText(
                name=str(name),
                value=data[words.value],
                description=str(data.get(words.description) or "No description given"),
                condition=data.get(words.condition) if self.version.has_conditions else None,
                path=at,
            )
        return found
