"""Environments: parameter values, defaults and the registry of resource types that go with a template."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from calor.language.diagnostics import Report, did_you_mean
from calor.language.registry import Registry
from calor.language.values import MASK

PARAMETERS = "parameters"
DEFAULTS = "parameter_defaults"
REGISTRY = "resource_registry"
SINKS = "event_sinks"
ENCRYPTED = "encrypted_param_names"
STRATEGIES = "parameter_merge_strategies"
SECTIONS = (PARAMETERS, DEFAULTS, REGISTRY, SINKS, ENCRYPTED, STRATEGIES)


@dataclass(frozen=True, slots=True)
class Environment:
    """What goes with a template."""

    parameters: Mapping[str, Any] = field(default_factory=dict)
    parameter_defaults: Mapping[str, Any] = field(default_factory=dict)
    registry: Registry = field(default_factory=Registry)
    event_sinks: tuple[Mapping[str, Any], ...] = ()
    encrypted_param_names: tuple[str, ...] = ()
    inherited: frozenset[str] = frozenset()
    """The names of the defaults that are the operator's, and none of whoever wrote the environment."""

    def with_parameters(self, given: Mapping[str, Any]) -> Environment:
        """The environment with values laid over its own, as the command line's are."""
        return replace(self, parameters={**self.parameters, **given})

    def nested(
        self, parent: str, parameters: Mapping[str, Any], implementing: tuple[str, str] | None
    ) -> Environment:
        """The environment of the stack below a resource. `implementing` is the (type, template) that stack is
        the implementation of; inside, that type means what it meant without the template."""
        return replace(self, parameters=parameters, registry=self.registry.nested(parent, implementing))

    def shown(self, hidden: Iterable[str] = ()) -> dict[str, Any]:
        """The environment as data, without the operator's part of it and with the values of hidden parameters
        masked."""
        secret = set(hidden)
        own = {name: value for name, value in self.parameter_defaults.items() if name not in self.inherited}

        def masked(values: Mapping[str, Any]) -> dict[str, Any]:
            return {name: MASK if name in secret else value for name, value in values.items()}

        return {
            PARAMETERS: masked(self.parameters),
            DEFAULTS: masked(own),
            REGISTRY: self.registry.user,
            SINKS: list(self.event_sinks),
            ENCRYPTED: list(self.encrypted_param_names),
        }


def parse(data: Any, report: Report, *, flat: bool = False) -> Environment:
    """An environment from data. With `flat`, a map without `parameters` may hold values at its top, as old
    clients send it."""
    checked = check(data, report, flat=flat)
    return Environment(
        parameters=checked.get(PARAMETERS, {}),
        parameter_defaults=checked.get(DEFAULTS, {}),
        registry=Registry.parse(checked.get(REGISTRY, {}), report, (REGISTRY,)),
        event_sinks=tuple(checked.get(SINKS, ())),
        encrypted_param_names=tuple(checked.get(ENCRYPTED, ())),
    )


def check(data: Any, report: Report, *, flat: bool = False) -> dict[str, Any]:
    """The sections of an environment that have the right shape; the others are reported."""
    if data is None:
        return {}
    if not isinstance(data, dict):
        report.error("E301", "an environment must be a map of sections", kind="ValueError")
        return {}
    if flat and PARAMETERS not in data:
        loose = {key: value for key, value in data.items() if key not in SECTIONS}
        data = {PARAMETERS: loose, **{key: value for key, value in data.items() if key in SECTIONS}}
    found = {}
    for section, content in data.items():
        if section not in SECTIONS:
            hint = did_you_mean(str(section), SECTIONS)
            report.error(
                "E302", f"an environment has no section `{section}`", (section,), kind="ValueError", hint=hint
            )
        elif content is None:
            report.error(
                "E303",
                f"the section `{section}` is empty: give it a value or leave it out",
                (section,),
                kind="ValueError",
            )
        elif not isinstance(content, _SHAPES[section]):
            shape = "a list" if _SHAPES[section] is list else "a map"
            report.error("E304", f"the section `{section}` must be {shape}", (section,), kind="ValueError")
        else:
            found[section] = content
    return found


_SHAPES: dict[str, type] = {
    PARAMETERS: dict,
    DEFAULTS: dict,
    REGISTRY: dict,
    STRATEGIES: dict,
    SINKS: list,
    ENCRYPTED: list,
}
