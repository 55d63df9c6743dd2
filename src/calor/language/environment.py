"""Environments: the parameter values, defaults and resource registry for a template."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from calor.language.diagnostics import Locator, Path, Place, Report, did_you_mean, nowhere
from calor.language.registry import Registry
from calor.language.values import MASK, TemplateValue

PARAMETERS = "parameters"
DEFAULTS = "parameter_defaults"
REGISTRY = "resource_registry"
SINKS = "event_sinks"
ENCRYPTED = "encrypted_param_names"
STRATEGIES = "parameter_merge_strategies"
SECTIONS = (PARAMETERS, DEFAULTS, REGISTRY, SINKS, ENCRYPTED, STRATEGIES)


@dataclass(frozen=True, slots=True)
class Environment:
    """The environment of a template."""

    parameters: Mapping[str, TemplateValue] = field(default_factory=dict)
    parameter_defaults: Mapping[str, TemplateValue] = field(default_factory=dict)
    registry: Registry = field(default_factory=Registry)
    event_sinks: tuple[Mapping[str, TemplateValue], ...] = ()
    encrypted_param_names: tuple[str, ...] = ()
    inherited: frozenset[str] = frozenset()
    """The names of the defaults that come from the operator, not from the user."""
    locate: Locator = field(default=nowhere, compare=False)
    """Finds entries in the documents that the environment was read from."""

    def with_parameters(self, given: Mapping[str, TemplateValue]) -> Environment:
        """The environment with its values overridden, as by the command line."""

        def located(path: Path, value: bool) -> Place | None:
            return None if path[1:] and path[1] in given else self.locate(path, value)

        return replace(self, parameters={**self.parameters, **given}, locate=located)

    def given_at(self, parameter: str) -> Place | None:
        """The place where the environment sets a parameter; None if it does not."""
        places = (self.locate((section, parameter), False) for section in (PARAMETERS, DEFAULTS))
        return next((place for place in places if place is not None), None)

    def nested(
        self, parent: str, parameters: Mapping[str, TemplateValue], implementing: tuple[str, str] | None
    ) -> Environment:
        """The environment of a resource's nested stack. `implementing` is the (type, template) pair that the stack
        implements; inside, the type has its original meaning."""
        return replace(
            self, parameters=parameters, registry=self.registry.nested(parent, implementing), locate=nowhere
        )

    def shown(self, hidden: Iterable[str] = (), hidden_below: Iterable[str] = ()) -> dict[str, TemplateValue]:
        """The environment as data, without the operator's part, and with the values of hidden parameters masked. Those
        of nested stacks, `hidden_below`, only have defaults here."""
        secret = set(hidden)
        own = {name: value for name, value in self.parameter_defaults.items() if name not in self.inherited}

        def masked(values: Mapping[str, TemplateValue], names: set[str]) -> dict[str, TemplateValue]:
            return {name: MASK if name in names else value for name, value in values.items()}

        return {
            PARAMETERS: masked(self.parameters, secret),
            DEFAULTS: masked(own, secret.union(hidden_below)),
            REGISTRY: self.registry.user,
            SINKS: list(self.event_sinks),
            ENCRYPTED: list(self.encrypted_param_names),
        }


def parse(data: object, report: Report, *, flat: bool = False) -> Environment:
    """Reads an environment. With `flat`, a map without `parameters` may have values at its top level, as old clients
    send them."""
    checked = check(data, report, flat=flat)
    return Environment(
        parameters=checked.get(PARAMETERS, {}),
        parameter_defaults=checked.get(DEFAULTS, {}),
        registry=Registry.parse(checked.get(REGISTRY, {}), report, (REGISTRY,)),
        event_sinks=tuple(checked.get(SINKS, ())),
        encrypted_param_names=tuple(checked.get(ENCRYPTED, ())),
    )


def check(data: object, report: Report, *, flat: bool = False) -> dict[str, TemplateValue]:
    """The valid sections of an environment; the others are reported."""
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
        elif not isinstance(content, _SECTION_TYPES[section]):
            expected = "a list" if _SECTION_TYPES[section] is list else "a map"
            report.error("E304", f"the section `{section}` must be {expected}", (section,), kind="ValueError")
        else:
            found[section] = content
    return found


_SECTION_TYPES: dict[str, type] = {
    PARAMETERS: dict,
    DEFAULTS: dict,
    REGISTRY: dict,
    STRATEGIES: dict,
    SINKS: list,
    ENCRYPTED: list,
}
