"""The resource registry: mappings of resource types, and the hooks and restricted actions of resources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from calor.language.diagnostics import Path, Report, did_you_mean
from calor.language.values import TemplateValue

RESOURCES = "resources"
HOOKS = ("pre-create", "pre-update", "pre-delete", "post-create", "post-update", "post-delete")
RESTRICTIONS = ("update", "replace")
_SPECIAL = ("hooks", "restricted_actions", "base_url")


def is_template(target: object) -> bool:
    """Whether the name of a type or the target of a mapping is a template."""
    return isinstance(target, str) and target.endswith((".yaml", ".template"))


@dataclass(frozen=True, slots=True)
class Target:
    """The target of a mapping. The operator's mappings may name templates of the server."""

    name: str
    by_operator: bool = False


@dataclass(frozen=True, slots=True)
class Registry:
    """Mappings of types. The user's take precedence over the operator's `common` ones."""

    user: Mapping[str, TemplateValue] = field(default_factory=dict)
    common: Mapping[str, TemplateValue] = field(default_factory=dict)

    @classmethod
    def parse(cls, data: Mapping[str, TemplateValue], report: Report, at: Path) -> Registry:
        user: dict[str, TemplateValue] = {}
        for name, target in data.items():
            if not isinstance(name, str):
                report.error("E305", f"`{name}` cannot be the name of a type", (*at, name), kind="ValueError")
            elif target is None and name != RESOURCES:
                user = {known: kept for known, kept in user.items() if not _means(name, known)}
            elif name != "base_url":
                user[name] = target
        for name, target in user.items():
            if name == RESOURCES:
                _check_resources(target, report, (*at, name))
            elif target is not None and not isinstance(target, str):
                message = f"`{name}` must map to the name of a type or a template"
                report.error("E305", message, (*at, name), kind="ValueError")
        return cls(user)

    def over(self, common: Mapping[str, TemplateValue]) -> Registry:
        return Registry(self.user, common)

    def targets(self, type_name: str, resource: str | None) -> Iterator[Target]:
        """The candidates for a type: the mappings for the resource first, then the user's, then the operator's, and
        finally the name itself.

        A name that the operator maps to null has no candidates; a user's null only removes a mapping.
        """
        yield from self._follow(Target(type_name), resource, set())

    def _follow(self, target: Target, resource: str | None, seen: set[str]) -> Iterator[Target]:
        name = target.name
        if name in seen:
            return
        seen.add(name)
        for mapped in self._mapped(name, resource):
            if is_template(mapped.name):
                yield mapped
            elif mapped.name != name:
                yield from self._follow(mapped, resource, seen)
        if not self._removed(name):
            yield target

    def _mapped(self, type_name: str, resource: str | None) -> Iterator[Target]:
        specific = self.user.get(RESOURCES) or {}
        own = specific.get(resource) if isinstance(specific, dict) and resource is not None else None
        if isinstance(own, dict) and isinstance(own.get(type_name), str):
            yield Target(own[type_name])
        for mappings in (self.user, self.common):
            operators = mappings is self.common
            names = [name for name in mappings if name == type_name or _is_glob_for(name, type_name)]
            # In alphabetical order, as in Heat: a wildcard precedes longer names with the same prefix.
            for name in sorted(names):
                target = mappings[name]
                if name == type_name and isinstance(target, str):
                    yield Target(target, operators)
                elif isinstance(target, str) and not is_template(target):
                    tail = type_name[len(name) - 1 :]
                    yield Target(target[:-1] + tail if target.endswith("*") else target, operators)

    def _removed(self, type_name: str) -> bool:
        return any(
            target is None and (name == type_name or _is_glob_for(name, type_name))
            for name, target in self.common.items()
        )

    def nested(self, parent: str, implementing: tuple[str, str] | None) -> Registry:
        """The registry of a resource's nested stack."""
        user = {
            name: target
            for name, target in self.user.items()
            if name != RESOURCES and (name, target) != implementing
        }
        below: dict[str, TemplateValue] = {}
        specific = self.user.get(RESOURCES)
        for pattern, content in (specific if isinstance(specific, dict) else {}).items():
            if isinstance(content, dict) and fnmatchcase(parent, str(pattern)):
                below.update({name: inner for name, inner in content.items() if isinstance(inner, dict)})
        if below:
            user[RESOURCES] = below
        common = {name: target for name, target in self.common.items() if (name, target) != implementing}
        return Registry(user, common)

    def hooks(self, resource: str) -> tuple[str, ...]:
        return self._listed(resource, "hooks")

    def restricted_actions(self, resource: str) -> tuple[str, ...]:
        return self._listed(resource, "restricted_actions")

    def _listed(self, resource: str, key: str) -> tuple[str, ...]:
        specific = self.user.get(RESOURCES)
        found: list[str] = []
        for pattern, content in (specific if isinstance(specific, dict) else {}).items():
            if isinstance(content, dict) and fnmatchcase(resource, str(pattern)):
                found.extend(_words(content.get(key)))
        return tuple(found)


def _means(name: str, type_name: str) -> bool:
    return type_name != RESOURCES and (name == type_name or _is_glob_for(name, type_name))


def _is_glob_for(name: object, type_name: str) -> bool:
    return isinstance(name, str) and name.endswith("*") and type_name.startswith(name[:-1])


def _words(value: object) -> list[TemplateValue]:
    """The items of a list, or a single value as a list."""
    if isinstance(value, list):
        return value
    return [value] if value else []


def _check_resources(data: object, report: Report, at: Path) -> None:
    if not isinstance(data, dict):
        if data is not None:
            report.error("E305", "`resources` must be a map of resource names", at, kind="ValueError")
        return
    for name, content in data.items():
        if not isinstance(content, dict):
            continue
        for key, known, kind in (
            ("hooks", HOOKS, "InvalidBreakPointHook"),
            ("restricted_actions", RESTRICTIONS, "InvalidRestrictedAction"),
        ):
            for word in _words(content.get(key)):
                if word not in known:
                    message = f"`{word}` is not one of {', '.join(known)}"
                    hint = did_you_mean(str(word), known)
                    report.error("E306", message, (*at, name, key), kind=kind, hint=hint)
        _check_resources(
            {key: inner for key, inner in content.items() if isinstance(inner, dict) and key not in _SPECIAL},
            report,
            (*at, name),
        )
