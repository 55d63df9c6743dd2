"""What a server is given to apply, and what its answer means. Values only."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from calor.resources.outcomes import ResourceFailed
from calor.resources.values import JsonMapping, JsonObject, Properties

COMPONENT = "component"
"""The group of configurations that hold one for each action."""

REPORTED = ("deploy_stdout", "deploy_stderr", "deploy_status_code")
"""What a server reports beside the outputs that the configuration declares."""

LAST_LINES, LAST_CHARACTERS = 3, 300
"""How much of the output of a failed configuration is in the reason."""

REPORTING = ("deploy_signal_id", "deploy_password")
"""The inputs with which anybody can report for a server."""


def runs_on(config: JsonMapping, actions: Collection[str], action: str) -> bool:
    """Whether an action of the stack applies a configuration."""
    if config.get("group") == COMPONENT:
        return any(action in part["actions"] for part in config["config"]["configs"])
    return action in actions


def derived_inputs(config: JsonMapping, values: Properties, about: JsonMapping) -> list[JsonObject]:
    """The inputs with their values: those declared, others that were given, and those about the deployment itself."""
    rest = dict(values)
    declared = [
        {**each, "value": rest.pop(each["name"], each.get("default"))} for each in config.get("inputs") or ()
    ]
    others = [
        {"name": name, "type": "String", "value": value} for name, value in [*rest.items(), *about.items()]
    ]
    return [*declared, *others]


def replaces(inputs: list[JsonObject], before: list[JsonObject]) -> bool:
    """Whether an input has changed that must not change in place."""
    old = {each["name"]: each.get("value") for each in before}
    return any(
        each.get("replace_on_change") and each["name"] in old and each.get("value") != old[each["name"]]
        for each in inputs
    )


def filled(config: object, key: str, values: Properties, *, strict: bool) -> object:
    """A configuration in which maps of the key alone are replaced by the value of the input they name."""
    if isinstance(config, dict):
        name = config.get(key)
        if len(config) == 1 and isinstance(name, str):
            if strict and name not in values:
                raise ResourceFailed(f"the input {name} has no value", "UserParameterMissing")
            return values.get(name)
        return {inner: filled(item, key, values, strict=strict) for inner, item in config.items()}
    if isinstance(config, list):
        return [filled(item, key, values, strict=strict) for item in config]
    return config


@dataclass(frozen=True, slots=True)
class Outcome:
    """The contents of a server's report."""

    outputs: JsonObject
    failures: dict[str, str]

    @property
    def failed(self) -> bool:
        return bool(self.failures)

    @property
    def reason(self) -> str:
        if not self.failures:
            return "the server has reported"
        failures = ", ".join(f"{name} : {what}" for name, what in self.failures.items())
        words = _last_words(self.outputs)
        return f"{failures}; its output ended with: {words}" if words else failures

    @property
    def fields(self) -> JsonObject:
        """What the deployment becomes."""
        status = "FAILED" if self.failed else "COMPLETE"
        return {"output_values": self.outputs, "status": status, "status_reason": self.reason}


def outcome(config: JsonMapping, before: Properties, details: JsonMapping) -> Outcome:
    """A deployment fails when the exit code is not zero or an output arrives that means an error."""
    code = details.get("deploy_status_code")
    failures = dict(_errors(config, details))
    if code and str(code) != "0":
        failures = {"deploy_status_code": f"the configuration ended with exit code {code}", **failures}
    declared = [each["name"] for each in config.get("outputs") or ()]
    reported = {name: details[name] for name in declared if name in details}
    return Outcome({**before, **reported, **{name: details.get(name) for name in REPORTED}}, failures)


def _last_words(outputs: JsonMapping) -> str:
    """The end of the standard error or, if there is none, of the standard output."""
    for name in ("deploy_stderr", "deploy_stdout"):
        lines = [line.strip() for line in str(outputs.get(name) or "").splitlines() if line.strip()]
        if lines:
            return " / ".join(lines[-LAST_LINES:])[-LAST_CHARACTERS:]
    return ""


def _errors(config: JsonMapping, details: JsonMapping) -> Iterator[tuple[str, str]]:
    for each in config.get("outputs") or ():
        if each.get("error_output") and each["name"] in details:
            yield each["name"], str(details[each["name"]])
