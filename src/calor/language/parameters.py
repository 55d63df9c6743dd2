"""Parameters: declarations, values given by users, and effective values."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum

from calor.language import constraints as c
from calor.language.constraints import Checks, Constraint
from calor.language.diagnostics import Place, Report, did_you_mean
from calor.language.reader import DEFAULT_LIMITS, is_unicode, too_deep
from calor.language.values import MOST_ITEMS, Secret, TemplateValue, Unknown, Wrapping, bare, has_secret, peel
from calor.language.versions import Version


class ParameterType(Enum):
    """A parameter's type, by its name in HOT."""

    STRING = "string"
    NUMBER = "number"
    LIST = "comma_delimited_list"
    JSON = "json"
    BOOLEAN = "boolean"

    @property
    def cfn_name(self) -> str:
        return _CFN_NAMES[self]


_CFN_NAMES = {
    ParameterType.STRING: "String",
    ParameterType.NUMBER: "Number",
    ParameterType.LIST: "CommaDelimitedList",
    ParameterType.JSON: "Json",
    ParameterType.BOOLEAN: "Boolean",
}
_TRUE = frozenset({"t", "true", "on", "y", "yes", "1"})
_FALSE = frozenset({"f", "false", "off", "n", "no", "0"})

HOT_PSEUDO = ("OS::stack_id", "OS::stack_name", "OS::project_id", "OS::region")
CFN_PSEUDO = ("AWS::StackId", "AWS::StackName", "AWS::Region")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A declared parameter."""

    name: str
    kind: ParameterType
    default: TemplateValue = None
    description: str = ""
    label: str = ""
    hidden: bool = False
    immutable: bool = False
    tags: tuple[str, ...] = ()
    constraints: tuple[Constraint, ...] = ()

    def convert(self, value: object) -> TemplateValue:
        """A value given for the parameter, as get_param returns it. Raises ValueError."""
        wrapping = Wrapping()
        given, value = value, peel(value, wrapping)
        if value is None and wrapping.unknown:
            return wrapping.around(None)
        try:
            return wrapping.again(CONVERSIONS[self.kind](value), given)
        except ValueError:
            if wrapping.unknown:
                return wrapping.around(value)
            raise

    def violations(
        self, value: object, checks: Checks, *, skip_custom: bool = False, only_custom: bool = False
    ) -> list[str]:
        """The constraints that a converted value violates. A value that is not known yet is not checked."""
        wrapping = Wrapping()
        value = peel(value, wrapping)
        if wrapping.unknown:
            return []
        found = []
        for constraint in self.constraints:
            is_custom = isinstance(constraint, c.Custom)
            if (skip_custom and is_custom) or (only_custom and not is_custom):
                continue
            try:
                problem = constraint.violation(value, checks)
            except (TypeError, ValueError) as error:
                problem = str(error)
            if problem is not None:
                found.append(
                    problem if not self.hidden else constraint.description or "the value is not allowed"
                )
        return found


def as_text(value: object) -> str:
    return value if isinstance(value, str) else str(value)


def _number(value: object) -> float:
    try:
        return c.as_number(value)
    except (ValueError, TypeError):
        raise ValueError(f"{value!r} is not a number") from None


def _list(value: object) -> list[str]:
    if isinstance(value, list):
        return [as_text(item) for item in value]
    if isinstance(value, str):
        if value.count(",") >= MOST_ITEMS:
            raise ValueError(f"a list has at most {MOST_ITEMS:,} items")
        return value.split(",") if value else []
    raise ValueError(f"{value!r} is neither a list nor a comma-separated string")


def _json(value: object) -> TemplateValue:
    if isinstance(value, str):
        if value == "":
            return value
        escaped = "\\u" in value
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise ValueError("the text is not valid JSON") from None
        if too_deep(value, DEFAULT_LIMITS.depth):
            raise ValueError(f"the text is nested deeper than {DEFAULT_LIMITS.depth} levels")
        if escaped and not is_unicode(value):
            raise ValueError("the text has unpaired surrogates")
    return value


def as_boolean(value: object) -> bool:
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise ValueError(f"{value!r} is not a boolean")


CONVERSIONS = {
    ParameterType.STRING: as_text,
    ParameterType.NUMBER: _number,
    ParameterType.LIST: _list,
    ParameterType.JSON: _json,
    ParameterType.BOOLEAN: as_boolean,
}


@dataclass(frozen=True, slots=True)
class StackIdentity:
    """The values of the pseudo parameters. The id is not known before the stack exists; the defaults are those of a
    preview without a server."""

    name: str = "golden"
    id: str | None = None
    project: str = "0123456789abcdef0123456789abcdef"
    region: str = "ap-southeast-1"

    def pseudo(self, version: Version) -> dict[str, TemplateValue]:
        shown_id: TemplateValue = Unknown("None") if self.id is None else self.id
        if version.is_hot:
            return {"OS::stack_id": shown_id, "OS::stack_name": self.name, "OS::project_id": self.project}
        arn = f"arn:openstack:heat::{self.project}:stacks/{self.name}/"
        stack_id: TemplateValue = Unknown(arn + "None") if self.id is None else arn + self.id
        return {"AWS::StackId": stack_id, "AWS::StackName": self.name, "AWS::Region": self.region}


@dataclass(frozen=True, slots=True)
class ParameterValues:
    """Effective values; hidden ones are Secret. `missing` parameters have neither a value nor a default; those of
    `invalid` ones cannot be converted."""

    values: Mapping[str, TemplateValue]
    pseudo: Mapping[str, TemplateValue]
    missing: frozenset[str] = frozenset()
    invalid: frozenset[str] = frozenset()
    violations: frozenset[str] = frozenset()
    """The messages of violated constraints."""


def parameter_missing(name: str) -> str:
    """Clients of Heat match this text."""
    return f"The Parameter ({name}) was not provided."


def assign(
    declared: Mapping[str, Parameter],
    given: Mapping[str, TemplateValue],
    defaults: Mapping[str, TemplateValue],
    pseudo: Mapping[str, TemplateValue],
    version: Version,
    report: Report,
    checks: Checks,
    *,
    strict: bool = True,
    require: bool = True,
    deferred: bool = False,
    given_at: Callable[[str], Place | None] = lambda name: None,
) -> ParameterValues:
    """Assigns every parameter its value: the user's, else the environment's default, else the template's.

    Without `strict`, as in nested stacks before creation, values are not checked against constraints, and a missing
    one is not an error: the parent's properties have been checked already. Without `require` a parameter without a
    value is Unknown. Errors in values are `deferred` where Heat reports them later. `given_at` finds the place where a
    value is given.
    """
    words = version.words
    for name in given:
        if name not in declared:
            hint = did_you_mean(name, declared)
            message = f"the template has no parameter `{name}`"
            report.error(
                "E207",
                message,
                (words.parameters,),
                kind="UnknownUserParameter",
                path="",
                hint=hint,
                given_at=given_at(name),
            )
    values: dict[str, TemplateValue] = {}
    missing: set[str] = set()
    invalid: set[str] = set()
    violations: set[str] = set()
    for name, parameter in declared.items():
        value = next(
            (v for v in (given.get(name), defaults.get(name), parameter.default) if v is not None), None
        )
        at = (words.parameters, name)
        if value is None and not require:
            values[name] = Unknown(None, parameter.hidden)
            continue
        if value is None:
            missing.add(name)
            if strict:
                message = parameter_missing(name)
                hint = f"pass it with -P {name}=…, or give it a default"
                report.error(
                    "E208", message, at, kind="UserParameterMissing", path="", hint=hint, deferred=deferred
                )
            continue
        try:
            converted = parameter.convert(value)
        except ValueError as error:
            invalid.add(name)
            shown = "the value is not valid" if parameter.hidden or has_secret(value) else str(error)
            message = f"Parameter '{name}' is invalid: {shown}"
            report.error(
                "E209", message, at, path="", deferred=deferred or not strict, given_at=given_at(name)
            )
            continue
        if strict:
            # A default that violates its own constraint has been reported with the declaration.
            only_custom = value is parameter.default
            for problem in parameter.violations(converted, checks, only_custom=only_custom):
                message = f"Parameter '{name}' is invalid: {problem}"
                report.error("E210", message, at, path="", deferred=deferred, given_at=given_at(name))
                if not parameter.hidden:
                    violations.add(problem)
        values[name] = (
            Secret(bare(converted)) if parameter.hidden and not isinstance(converted, Unknown) else converted
        )
    return ParameterValues(values, pseudo, frozenset(missing), frozenset(invalid), frozenset(violations))
