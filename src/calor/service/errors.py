"""Errors of the use cases. `kind` is the error type in Heat's API, which determines the HTTP status."""

from __future__ import annotations

from collections.abc import Sequence

from calor.language.defining import TOO_MANY
from calor.language.diagnostics import Diagnostic


class ServiceError(Exception):
    """A request is refused. The message is for the caller."""

    def __init__(self, kind: str, message: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.diagnostics = tuple(diagnostics)


class NotFound(ServiceError):
    def __init__(self, what: str, name: str) -> None:
        super().__init__("EntityNotFound", f"The {what} ({name}) could not be found.")


class Forbidden(ServiceError):
    def __init__(self, message: str = "You are not authorized to complete this action.") -> None:
        super().__init__("Forbidden", message)


class UnusableType(ServiceError):
    """A resource type that the caller cannot use."""

    def __init__(self, kind: str, message: str, type_name: str) -> None:
        super().__init__(kind, message)
        self.type_name = type_name


class StackExists(ServiceError):
    def __init__(self, name: str) -> None:
        super().__init__("StackExists", f"The Stack ({name}) already exists.")


class ActionInProgress(ServiceError):
    def __init__(self, name: str) -> None:
        super().__init__("ActionInProgress", f"Stack {name} already has an action in progress.")


class NotSupported(ServiceError):
    def __init__(self, message: str) -> None:
        super().__init__("NotSupported", message)


class Invalid(ServiceError):
    """The template or its environment is invalid."""

    @classmethod
    def of(cls, diagnostics: Sequence[Diagnostic]) -> Invalid:
        # Other errors may follow from the first.
        first = next((one for one in diagnostics if one.code == TOO_MANY), diagnostics[0])
        kind = first.kind if first.kind in _NAMED else "StackValidationFailed"
        return cls(kind, _message(first), diagnostics)


def _message(first: Diagnostic) -> str:
    """The message in the formats that clients of Heat match."""
    if first.kind == "InvalidTemplateVersion":
        return f"The template version is invalid: {first.message}"
    if first.kind == "Property error":
        return f"Property error: : {first.path}: : {first.message}"
    if first.code == TOO_MANY or first.kind in _PLAIN:
        return first.message
    return first.full_message


_PLAIN = frozenset({"UserParameterMissing", "UnknownUserParameter", "InvalidTemplateSection"})
_NAMED = frozenset(
    {
        "RequestLimitExceeded",
        "InvalidTemplateVersion",
        "InvalidTemplateReference",
        "InvalidSchemaError",
        "InvalidBreakPointHook",
        "InvalidRestrictedAction",
        "CircularDependencyException",
        "UnknownUserParameter",
        "UserParameterMissing",
        "ConflictingMergeStrategyForParam",
        "InvalidMergeStrategyForParam",
    }
)
