"""Properties of a resource: translated, converted, completed with defaults, and checked against the schema."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from calor.language.constraints import AllowedValues, Checks, as_number
from calor.language.diagnostics import Path, closest
from calor.language.schema import ANY, Property, Remove, Replace, Rewrite, Translation
from calor.language.values import (
    MOST_ITEMS,
    Secret,
    TemplateValue,
    Unknown,
    Wrapping,
    concealed,
    has_secret,
    has_unknown,
    peel,
)


@dataclass(frozen=True, slots=True)
class PropertyProblem:
    """An error in a property; `at` is its path below `properties`.

    `shown_at` is the path that Heat names, which for a missing or unknown property is the map that should have it.
    """

    code: str
    at: Path
    message: str
    shown_at: Path
    hint: str | None = None
    missing: str | None = None
    """The property that is required but not given, if that is the error."""
    deferred: bool = False
    """Whether Heat would find it only when all values of the same map are known."""


@dataclass(slots=True)
class ReadProperties:
    """Properties read against a schema."""

    values: dict[str, TemplateValue] = field(default_factory=dict)
    problems: list[PropertyProblem] = field(default_factory=list)


def read(
    given: Mapping[str, TemplateValue],
    schema: Mapping[str, Property],
    translations: Sequence[Translation] = (),
    *,
    checks: Checks,
) -> ReadProperties:
    """All declared properties with their values; None for a property that is not given and has no default."""
    reader = _Reader(checks)
    data = translate(dict(given), translations, reader.problem)
    values = reader.fields(data, schema, (), check=True)
    return ReadProperties(
        values, [_where_written(problem, given, translations) for problem in reader.problems]
    )


def _where_written(
    problem: PropertyProblem, given: Mapping[str, TemplateValue], translations: Sequence[Translation]
) -> PropertyProblem:
    """The problem, located by the name that the template uses, which may be an older one."""
    if not any(isinstance(rule, Replace) for rule in translations):
        return problem
    at = _older_path(problem.at, given, translations)
    shown_at = _older_path(problem.shown_at, given, translations)
    return replace(problem, at=at, shown_at=shown_at)


def _older_path(path: Path, given: Mapping[str, TemplateValue], translations: Sequence[Translation]) -> Path:
    written: list[str | int] = []
    container: TemplateValue = given
    for index, step in enumerate(path):
        if isinstance(container, dict) and step not in container:
            names = tuple(name for name in path[: index + 1] if isinstance(name, str))
            for rule in translations:
                source = _source(rule) if isinstance(rule, Replace) and rule.path == names else None
                if source in container:
                    step = str(source)
        written.append(step)
        try:
            container = container[step]
        except (KeyError, IndexError, TypeError):
            container = None
    return tuple(written)


def _source(rule: Replace) -> str | None:
    return rule.source[-1] if rule.source else rule.sibling


ErrorHandler = Callable[[str, Path, str], None]


def translate(
    data: dict[str, TemplateValue], translations: Sequence[Translation], on_error: ErrorHandler
) -> dict[str, TemplateValue]:
    """The data with values under old names moved to the current names. Lookups of names are left to callers that can
    reach the service."""
    for rule in translations:
        if isinstance(rule, Replace):
            data = _replaced(data, rule, rule.path, on_error)
        elif isinstance(rule, Remove):
            data = _removed(data, rule.path)
        elif isinstance(rule, Rewrite):
            data = rule.rewrite(data)
    return data


def _replaced(data: object, rule: Replace, path: tuple[str, ...], on_error: ErrorHandler) -> TemplateValue:
    if isinstance(data, list):
        return [_replaced(item, rule, path, on_error) for item in data]
    if not isinstance(data, dict):
        return data
    key, *below = path
    if below:
        if key in data:
            return {**data, key: _replaced(data[key], rule, tuple(below), on_error)}
        return data
    source = _source(rule)
    if source is None or data.get(source) is None:
        return data
    value = data[source]
    for step in rule.inside or ():
        value = value.get(step) if isinstance(value, dict) else None
    if data.get(key) is not None and value is not None:
        on_error("E413", (*rule.path[:-1], key), f"`{key}` and its older name `{source}` are both given")
        return data
    if rule.inside:
        return data if value is None else {**data, key: value}
    return {**{name: item for name, item in data.items() if name != source}, key: value}


def _removed(data: object, path: tuple[str, ...]) -> TemplateValue:
    if isinstance(data, list):
        return [_removed(item, path) for item in data]
    if not isinstance(data, dict) or path[0] not in data:
        return data
    if len(path) == 1:
        return {name: item for name, item in data.items() if name != path[0]}
    return {**data, path[0]: _removed(data[path[0]], path[1:])}


Check = bool | None
"""Whether to check a value against its schema. None: only the names in it, because parts are not known yet."""


class _Reader:
    def __init__(self, checks: Checks) -> None:
        self.checks = checks
        self.problems: list[PropertyProblem] = []

    def problem(
        self, code: str, at: Path, message: str, shown_at: Path | None = None, hint: str | None = None
    ) -> None:
        self.problems.append(PropertyProblem(code, at, message, at if shown_at is None else shown_at, hint))

    def fields(
        self, data: dict[str, TemplateValue], schema: Mapping[str, Property], at: Path, check: Check
    ) -> dict[str, TemplateValue]:
        meant: set[str] = set()
        for name in data if check is not False else ():
            if name not in schema:
                close = closest(str(name), schema)
                meant.update([close] if close else [])
                hint = f"did you mean `{close}`?" if close else None
                message = f"there is no property `{name}`"
                self.problems.append(
                    PropertyProblem("E410", (*at, name), message, at, hint, deferred=check is None)
                )
        values: dict[str, TemplateValue] = {}
        for name, declared in schema.items():
            if name in data:
                if not declared.implemented:
                    self.problem("E411", (*at, name), f"`{name}` is not implemented", (*at, name))
                value = data[name]
                checked = None if check and at == () and has_unknown(value) else check
                values[name] = self.value(value, declared, (*at, name), checked)
            elif declared.default is not None:
                values[name] = self._default(declared, (*at, name))
            else:
                values[name] = None
                if declared.required and name not in meant:
                    message = f"the property `{name}` is required"
                    self.problems.append(PropertyProblem("E412", at, message, at, missing=name))
        return values

    def value(self, value: object, declared: Property, at: Path, check: Check) -> TemplateValue:
        """The value converted to the type of the schema, wrapped as it was."""
        wrapping = Wrapping()
        plain = peel(value, wrapping, 1)
        if wrapping.unknown:
            # The stand-in may be of another type than the value will be.
            check = False
        if plain is None and declared.default is not None:
            plain = declared.default
        # Errors inside of a hidden value cannot be reported without showing parts of it.
        reader = _Reader(self.checks) if wrapping.secret else self
        try:
            converted = reader._converted(plain, declared, at, check)
        except ValueError as error:
            if not wrapping.unknown:
                self.problem("E414", at, "the value is not valid" if wrapping.secret else str(error))
            # Resource types rely on values having the declared type.
            return wrapping.around(None)
        if reader is not self and any(not problem.deferred for problem in reader.problems):
            self.problem("E414", at, "the value is not valid")
        if check and not wrapping.unknown:
            self._constraints(converted, declared, at, wrapping.secret or declared.secret)
        made = wrapping.again(converted, value)
        return concealed(made) if declared.secret else made

    def _default(self, declared: Property, at: Path) -> TemplateValue:
        """The converted default; unchanged if the declaration has one of the wrong type."""
        try:
            return self._converted(declared.default, declared, at, False)
        except ValueError:
            return declared.default

    def _converted(self, value: object, declared: Property, at: Path, check: Check) -> TemplateValue:
        kind = declared.kind
        if kind is ANY:
            return value
        if value is None:
            return (
                _zero(kind) if not (declared.fields or declared.items) else self._empty(declared, at, check)
            )
        if kind is dict:
            return self._map(value, declared, at, check)
        if kind is list:
            return self._list(value, declared, at, check)
        return _SCALARS[kind](value)

    def _empty(self, declared: Property, at: Path, check: Check) -> TemplateValue:
        if declared.kind is list:
            return []
        return self.fields({}, declared.fields or {}, at, check)

    def _map(self, value: object, declared: Property, at: Path, check: Check) -> TemplateValue:
        if declared.converts and isinstance(value, (str, list)):
            return value if isinstance(value, str) else _as_json(value)
        if not isinstance(value, dict):
            raise ValueError(f"this must be a map, not {describe(value)}")
        return self.fields(value, declared.fields, at, check) if declared.fields else value

    def _list(self, value: object, declared: Property, at: Path, check: Check) -> TemplateValue:
        if declared.converts and isinstance(value, str):
            if value.count(",") >= MOST_ITEMS:
                raise ValueError(f"a list has at most {MOST_ITEMS:,} items")
            value = value.split(",")
        if not isinstance(value, list):
            raise ValueError(f"this must be a list, not {describe(value)}")
        if declared.items is None:
            return value
        return [self.value(item, declared.items, (*at, index), check) for index, item in enumerate(value)]

    def _constraints(self, value: object, declared: Property, at: Path, secret: bool) -> None:
        if not declared.constraints or has_secret(value):
            return
        for constraint in declared.constraints:
            if isinstance(constraint, AllowedValues) and declared.kind is str:
                constraint = AllowedValues(constraint.description, tuple(map(str, constraint.values)))
            try:
                problem = constraint.violation(value, self.checks)
            except (TypeError, ValueError) as error:
                problem = str(error)
            if problem is not None:
                self.problem("E415", at, "the value is not allowed" if secret else problem)


def _zero(kind: type) -> TemplateValue:
    return {str: "", int: 0, float: 0, bool: False, list: [], dict: {}}[kind]


def _string(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, int)):
        return str(value)
    raise ValueError(f"this must be a string, not {describe(value)}")


def _integer(value: TemplateValue) -> int:
    try:
        return int(value)
    except (ValueError, TypeError, OverflowError):
        raise ValueError(f"this must be an integer, not {describe(value)}") from None


def _number(value: object) -> float:
    try:
        return as_number(value)
    except (ValueError, TypeError):
        raise ValueError(f"this must be a number, not {describe(value)}") from None


def _boolean(value: object) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    raise ValueError(f"this must be true or false, not {describe(value)}")


_SCALARS: dict[type, Callable[[TemplateValue], TemplateValue]] = {
    str: _string,
    int: _integer,
    float: _number,
    bool: _boolean,
}


def _as_json(items: list[TemplateValue]) -> TemplateValue:
    """A list as JSON text, for a parameter of type json."""
    wrapping = Wrapping()
    return wrapping.around(json.dumps(peel(items, wrapping)))


def describe(value: object) -> str:
    """A value as part of a message; long and secret ones are not quoted."""
    if isinstance(value, (Secret, Unknown)):
        return repr(value)
    if isinstance(value, dict):
        return "a map"
    if isinstance(value, list):
        return "a list"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"
