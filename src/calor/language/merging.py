"""Merges several environments into one, in the given order, by the strategy of each parameter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from calor.language import environment
from calor.language.constraints import as_number
from calor.language.diagnostics import Report
from calor.language.parameters import ParameterType
from calor.language.values import TemplateValue, size_of

OVERWRITE = "overwrite"
MERGE = "merge"
DEEP_MERGE = "deep_merge"
_STRATEGIES = (OVERWRITE, MERGE, DEEP_MERGE)


MOST_MERGED = 16 * 1024 * 1024


def merge(
    environments: Iterable[tuple[str, Mapping[str, TemplateValue]]],
    kinds: Mapping[str, ParameterType],
    report: Report,
) -> dict[str, TemplateValue]:
    """Merges named environments. `kinds` are the types of the parameters of the template and of all nested templates:
    only their values can be merged, others are overwritten."""
    merged: dict[str, TemplateValue] = {}
    strategies: dict[str, tuple[str, str]] = {}
    for name, data in environments:
        own = data.get(environment.STRATEGIES) or {}
        for section, content in data.items():
            if section == environment.STRATEGIES or content is None:
                continue
            if section in (environment.PARAMETERS, environment.DEFAULTS):
                before = merged.setdefault(section, {})
                for parameter, value in content.items():
                    strategy = _strategy(parameter, own, strategies, name, report)
                    kind = kinds.get(parameter)
                    if value is None:
                        continue
                    if parameter in before and kind is not None and strategy != OVERWRITE:
                        value = _combined(parameter, before[parameter], value, kind, strategy, report)
                        if size_of(value, MOST_MERGED) > MOST_MERGED:
                            message = (
                                f"the merged values of `{parameter}` have more than {MOST_MERGED:,} bytes"
                            )
                            at = (environment.STRATEGIES, parameter)
                            report.error("E307", message, at, kind="ValueError")
                            continue
                    before[parameter] = value
            elif isinstance(content, dict):
                merged.setdefault(section, {}).update(
                    {key: value for key, value in content.items() if value is not None}
                )
            elif isinstance(content, list):
                merged.setdefault(section, []).extend(content)
            else:
                merged[section] = content
    return merged


def _strategy(
    parameter: str,
    own: Mapping[str, TemplateValue],
    known: dict[str, tuple[str, str]],
    name: str,
    report: Report,
) -> str:
    """The first environment with the parameter determines the strategy."""
    stated = own.get(parameter)
    at = (environment.STRATEGIES, parameter)
    if stated is not None and stated not in _STRATEGIES:
        report.error("E307", f"`{stated}` is not one of {', '.join(_STRATEGIES)}", at, kind="ValueError")
        return OVERWRITE
    default = own.get("default", OVERWRITE)
    first, where = known.setdefault(parameter, (stated or default, name))
    if stated is not None and stated != first:
        message = f"{name} sets the strategy of `{parameter}` to {stated}, but {where} to {first}"
        hint = "the first environment with the parameter determines the strategy; set it there"
        report.error("E307", message, at, kind="ConflictingMergeStrategyForParam", hint=hint)
    return first


def _combined(
    parameter: str, old: object, new: object, kind: ParameterType, strategy: str, report: Report
) -> TemplateValue:
    at = (environment.STRATEGIES, parameter)
    if kind is ParameterType.JSON and isinstance(old, dict) and isinstance(new, dict):
        return _deep(old, new) if strategy == DEEP_MERGE else {**old, **new}
    if kind is ParameterType.LIST or isinstance(old, list):
        if isinstance(old, str) and isinstance(new, str):
            return f"{old},{new}"
        return [*_items(old), *_items(new)]
    if kind is ParameterType.STRING:
        return f"{old}{new}"
    if kind is ParameterType.NUMBER:
        try:
            return as_number(old) + as_number(new)
        except (TypeError, ValueError):
            message = f"the values of `{parameter}` are not both numbers, so they cannot be added"
            report.error("E307", message, at, kind="ValueError")
            return new
    shape = "boolean" if kind is ParameterType.BOOLEAN else "value of"
    message = f"the {shape} `{parameter}` can only be overwritten, not merged"
    report.error("E307", message, at, kind="InvalidMergeStrategyForParam")
    return new


def _items(value: object) -> list[TemplateValue]:
    if isinstance(value, list):
        return value
    return value.split(",") if isinstance(value, str) else [value]


def _deep(old: object, new: object) -> TemplateValue:
    if isinstance(old, dict) and isinstance(new, dict):
        made = dict(old)
        for key, value in new.items():
            if value is not None:
                made[key] = _deep(old[key], value) if key in old else value
        return made
    if isinstance(old, list) and isinstance(new, list):
        return [*old, *new]
    if isinstance(old, str) and isinstance(new, str):
        return old + new
    return new
