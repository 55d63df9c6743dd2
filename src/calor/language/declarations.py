"""Reads the declarations of a template's parameters, and reports all errors in them."""

from __future__ import annotations

from calor.language import constraints as c
from calor.language.constraints import Checks, Constraint
from calor.language.diagnostics import Path, Report, did_you_mean
from calor.language.parameters import (
    CFN_PSEUDO,
    CONVERSIONS,
    HOT_PSEUDO,
    Parameter,
    ParameterType,
    as_boolean,
    as_text,
)
from calor.language.values import TemplateValue
from calor.language.versions import Version

_HOT_KEYS = ("type", "label", "description", "default", "hidden", "constraints", "immutable", "schema")
_CFN_KEYS = (
    "Type",
    "Default",
    "NoEcho",
    "AllowedValues",
    "AllowedPattern",
    "MaxLength",
    "MinLength",
    "MaxValue",
    "MinValue",
    "Description",
    "ConstraintDescription",
    "Label",
)
_CONSTRAINT_KEYS = ("modulo", "range", "length", "allowed_values", "allowed_pattern", "custom_constraint")
_FITS: dict[str, tuple[ParameterType, ...]] = {
    "modulo": (ParameterType.NUMBER,),
    "range": (ParameterType.NUMBER,),
    "length": (ParameterType.STRING, ParameterType.LIST, ParameterType.JSON),
    "allowed_values": (ParameterType.STRING, ParameterType.NUMBER, ParameterType.BOOLEAN, ParameterType.LIST),
    "allowed_pattern": (ParameterType.STRING,),
    "custom_constraint": (
        ParameterType.STRING,
        ParameterType.NUMBER,
        ParameterType.BOOLEAN,
        ParameterType.LIST,
    ),
}


class _Declared:
    """Reads one declaration and reports all errors in it."""

    def __init__(
        self, name: str, data: TemplateValue, version: Version, report: Report, checks: Checks
    ) -> None:
        self.name = name
        self.data = data
        self.version = version
        self.report = report
        self.checks = checks
        self.at: Path = (version.words.parameters, name)
        self.failed = False

    def error(self, code: str, message: str, *below: str | int, hint: str | None = None) -> None:
        self.failed = True
        self.report.error(code, message, (*self.at, *below), kind="InvalidSchemaError", hint=hint)

    def read(self) -> Parameter | None:
        if not isinstance(self.data, dict):
            self.error("E201", f"the declaration of `{self.name}` must be a map")
            return None
        hot = self.version.is_hot
        keys = (*_HOT_KEYS, "tags") if self.version.parameter_tags else _HOT_KEYS if hot else _CFN_KEYS
        for key in self.data:
            if key not in keys:
                self.error("E202", f"a parameter has no key `{key}`", key, hint=did_you_mean(str(key), keys))
        kind = self._kind("type" if hot else "Type")
        if kind is None:
            return None
        parameter = self._hot(kind) if hot else self._cfn(kind)
        if not self.failed:
            self._check_default(parameter, "default" if hot else "Default")
        return parameter

    def _kind(self, key: str) -> ParameterType | None:
        given = self.data.get(key)
        names = {(kind.value if self.version.is_hot else kind.cfn_name): kind for kind in ParameterType}
        if given is None:
            self.error("E203", f"`{self.name}` needs a `{key}`: one of {', '.join(names)}")
        elif not isinstance(given, str) or given not in names:
            hint = did_you_mean(str(given), names)
            self.error(
                "E203",
                f"`{given}` is not a parameter type; it must be one of {', '.join(names)}",
                key,
                hint=hint,
            )
        else:
            return names[given]
        return None

    def _hot(self, kind: ParameterType) -> Parameter:
        data = self.data
        found = []
        given = data.get("constraints")
        if given is not None and not isinstance(given, list):
            self.error("E204", "constraints must be a list", "constraints")
            given = []
        for index, one in enumerate(given or []):
            constraint = self._constraint(one, kind, index)
            if constraint is not None:
                found.append(constraint)
        if not isinstance(data.get("tags") or [], list):
            self.error("E201", "tags must be a list", "tags")
        return Parameter(
            name=self.name,
            kind=kind,
            default=data.get("default"),
            description=str(data.get("description") or ""),
            label=str(data.get("label") or ""),
            hidden=self._flag("hidden"),
            immutable=self._flag("immutable"),
            tags=tuple(map(str, data.get("tags") or ())) if isinstance(data.get("tags") or (), list) else (),
            constraints=tuple(found),
        )

    def _flag(self, key: str) -> bool:
        value = self.data.get(key, False)
        try:
            return as_boolean(value)
        except ValueError:
            at = (*self.at, key)
            self.report.warn("W201", f"`{key}` is not a boolean; false is assumed", at)
            return False

    def _constraint(self, data: object, kind: ParameterType, index: int) -> Constraint | None:
        below = ("constraints", index)
        if not isinstance(data, dict):
            self.error("E204", "a constraint must be a map", *below)
            return None
        unknown = [key for key in data if key not in (*_CONSTRAINT_KEYS, "description")]
        named = [key for key in _CONSTRAINT_KEYS if key in data and (key != "modulo" or self.version.modulo)]
        if unknown or not named:
            wrong = str(unknown[0] if unknown else next(iter(data), ""))
            known = [key for key in _CONSTRAINT_KEYS if key != "modulo" or self.version.modulo]
            message = f"`{wrong}` is not a constraint; it must be one of {', '.join(known)}"
            self.error("E204", message, *below, hint=did_you_mean(wrong, known))
            return None
        name = named[0]
        if kind not in _FITS[name]:
            self.error("E204", f"`{name}` does not apply to a {kind.value}", *below, name)
            return None
        description = data.get("description")
        return self._made(name, data[name], description, kind, (*below, name))

    def _made(
        self, name: str, value: object, text: str | None, kind: ParameterType, below: tuple[str | int, ...]
    ) -> Constraint | None:
        if name in ("range", "length", "modulo"):
            keys = ("step", "offset") if name == "modulo" else ("min", "max")
            numbers = self._numbers(name, value, keys, below)
            if numbers is None:
                return None
            if name == "modulo":
                return self._modulo(numbers, text, below)
            return c.Range(text, *numbers) if name == "range" else self._length(numbers, text, below)
        if name == "allowed_values":
            return self._allowed_values(value, text, kind, below)
        if not isinstance(value, str):
            self.error("E204", f"`{name}` must be a string", *below)
            return None
        return self._pattern(value, text, below) if name == "allowed_pattern" else c.Custom(text, value)

    def _numbers(
        self, name: str, value: object, keys: tuple[str, str], below: tuple[str | int, ...]
    ) -> list[float | None] | None:
        if not isinstance(value, dict):
            self.error("E204", f"`{name}` must be a map of {' and '.join(keys)}", *below)
            return None
        for key in value:
            if key not in keys:
                self.error(
                    "E204", f"`{name}` has no key `{key}`; its keys are {' and '.join(keys)}", *below, key
                )
                return None
        found: list[float | None] = []
        for key in keys:
            given = value.get(key)
            try:
                found.append(None if given is None else c.as_number(given))
            except (ValueError, TypeError):
                self.error("E204", f"`{key}` must be a number", *below, key)
                return None
        if found == [None, None]:
            self.error("E204", f"`{name}` requires {' or '.join(keys)}", *below)
            return None
        return found

    def _length(
        self, numbers: list[float | None], text: str | None, below: tuple[str | int, ...]
    ) -> Constraint | None:
        if any(number is not None and not isinstance(number, int) for number in numbers):
            self.error("E204", "a length must be an integer", *below)
            return None
        return c.Length(text, *numbers)  # type: ignore[arg-type]

    def _modulo(
        self, numbers: list[float | None], text: str | None, below: tuple[str | int, ...]
    ) -> Constraint | None:
        step, offset = numbers
        if step is None or offset is None:
            self.error("E204", "`modulo` requires both step and offset", *below)
        elif not isinstance(step, int) or not isinstance(offset, int):
            self.error("E204", "step and offset must be integers", *below)
        elif step == 0:
            self.error("E204", "the step cannot be 0", *below)
        elif abs(offset) >= abs(step):
            self.error("E204", "the offset must be smaller than the step", *below)
        elif step * offset < 0:
            self.error("E204", "step and offset must have the same sign", *below)
        else:
            return c.Modulo(text, step, offset)
        return None

    def _allowed_values(
        self, value: object, text: str | None, kind: ParameterType, below: tuple[str | int, ...]
    ) -> Constraint | None:
        if not isinstance(value, list):
            self.error("E204", "`allowed_values` must be a list", *below)
            return None
        convert = as_text if kind is ParameterType.LIST else CONVERSIONS[kind]
        try:
            return c.AllowedValues(text, tuple(convert(item) for item in value), tuple(value))
        except ValueError as error:
            self.error("E204", f"an allowed value is not of the parameter's type: {error}", *below)
            return None

    def _pattern(self, value: str, text: str | None, below: tuple[str | int, ...]) -> Constraint | None:
        try:
            self.checks.expressions.check(value)
        except ValueError as error:
            self.error("E204", f"the pattern is not a regular expression: {error}", *below)
            return None
        return c.AllowedPattern(text, value)

    def _cfn(self, kind: ParameterType) -> Parameter:
        data = self.data
        text = data.get("ConstraintDescription")
        found: list[Constraint | None] = []
        for low, high, name in (("MinValue", "MaxValue", "range"), ("MinLength", "MaxLength", "length")):
            if low in data or high in data:
                key = low if low in data else high
                if kind not in _FITS[name]:
                    self.error("E204", f"`{key}` does not apply to a {kind.cfn_name}", key)
                    continue
                numbers = self._numbers(
                    key, {"min": data.get(low), "max": data.get(high)}, ("min", "max"), (key,)
                )
                if numbers is not None:
                    found.append(
                        c.Range(text, *numbers) if name == "range" else self._length(numbers, text, (key,))
                    )
        for key, name in (("AllowedValues", "allowed_values"), ("AllowedPattern", "allowed_pattern")):
            if key in data:
                if kind not in _FITS[name]:
                    self.error("E204", f"`{key}` does not apply to a {kind.cfn_name}", key)
                else:
                    found.append(self._made(name, data[key], text, kind, (key,)))
        return Parameter(
            name=self.name,
            kind=kind,
            default=data.get("Default"),
            description=str(data.get("Description") or ""),
            label=str(data.get("Label") or ""),
            hidden=str(data.get("NoEcho", "false")).lower() == "true",
            constraints=tuple(constraint for constraint in found if constraint is not None),
        )

    def _check_default(self, parameter: Parameter, key: str) -> None:
        if parameter.default is None:
            return
        try:
            value = parameter.convert(parameter.default)
        except ValueError:
            # Heat accepts a default of the wrong type here and refuses it when it is used.
            return
        for problem in parameter.violations(value, self.checks, skip_custom=True):
            self.error("E205", f"the default of `{self.name}` violates its own constraint: {problem}", key)


def declare(section: object, version: Version, report: Report, checks: Checks) -> dict[str, Parameter]:
    """The parameters a template declares, as far as they can be read."""
    words = version.words
    if not section:
        return {}
    if not isinstance(section, dict):
        report.error(
            "E112", f"`{words.parameters}` must be a map of parameters", (words.parameters,), path=""
        )
        return {}
    found = {}
    for name, data in section.items():
        if name in (HOT_PSEUDO if version.is_hot else CFN_PSEUDO):
            at = (words.parameters, name)
            report.error(
                "E206",
                f"`{name}` is a pseudo parameter and cannot be declared",
                at,
                kind="InvalidSchemaError",
            )
            continue
        declared = _Declared(str(name), data, version, report, checks).read()
        if declared is not None:
            found[str(name)] = declared
    return found
