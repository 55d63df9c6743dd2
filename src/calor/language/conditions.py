"""The conditions of a template. Each is evaluated on demand, and only once."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from calor.language.diagnostics import Path, did_you_mean
from calor.language.expressions import (
    AlreadyReported,
    Broken,
    Call,
    Compiler,
    Expression,
    FunctionError,
    Node,
    Scope,
    resolve,
)
from calor.language.values import TemplateValue, Wrapping, peel
from calor.language.versions import Version

DEEPEST = 50
"""The maximum length of a chain of conditions: each takes several frames of the interpreter's stack."""


class StackConditions:
    """The named and inline conditions of a template."""

    def __init__(
        self,
        section: Mapping[str, TemplateValue],
        version: Version,
        on_error: Callable[[FunctionError, Path], None],
    ) -> None:
        self._version = version
        self._compiler = Compiler(version.condition_functions or {}, {}, on_error)
        self._compiled = {
            name: self._compiler.compile(data, (version.words.conditions, name))
            for name, data in section.items()
        }
        self._truth: dict[str, bool] = {}
        self._open: list[str] = []
        self.scope: Scope | None = None
        self.guessed = False
        """Whether a condition depends on a value that is not known yet."""

    @property
    def names(self) -> list[str]:
        return list(self._compiled)

    def written(self, data: object, path: Path) -> TemplateValue:
        """A condition as it is written in a resource, an output or an `if`."""
        if data is None or isinstance(data, bool):
            return data
        if isinstance(data, str):
            self._known(data)
            return data
        compiled = self._compiler.compile(data, path)
        if isinstance(compiled, Broken):
            raise AlreadyReported()
        if not isinstance(compiled, Call):
            raise FunctionError("a condition is a name, true, false or a function of conditions")
        return compiled

    def _known(self, name: str) -> None:
        if name not in self._compiled:
            hint = did_you_mean(name, self._compiled)
            raise FunctionError(f"there is no condition `{name}`", hint=hint)

    def truth(self, condition: object) -> bool:
        """Whether a condition is true; None, the absence of a condition, is. Raises FunctionError."""
        if condition is None or isinstance(condition, bool):
            return condition is not False
        if isinstance(condition, str):
            return self.named(condition)
        assert self.scope is not None
        wrapping = Wrapping()
        value = peel(resolve(condition, self.scope), wrapping)
        self.guessed = self.guessed or wrapping.unknown
        if value is None:
            return True
        if not isinstance(value, bool):
            raise FunctionError("a condition must evaluate to true or false")
        return value

    def named(self, name: str) -> bool:
        """Whether a named condition is true. Raises FunctionError."""
        self._known(name)
        if name in self._truth:
            return self._truth[name]
        if len(self._open) >= DEEPEST:
            raise FunctionError(f"more than {DEEPEST} conditions depend on each other in a chain")
        if name in self._open:
            circle = " → ".join([*self._open[self._open.index(name) :], name])
            raise FunctionError(f"the conditions depend on each other: {circle}")
        self._open.append(name)
        try:
            compiled = self._compiled[name]
            if not self.is_well_formed(name):
                raise FunctionError(f"the condition `{name}` must be true, false or a function of conditions")
            self._truth[name] = self.truth(compiled)
        finally:
            self._open.pop()
        return self._truth[name]

    def is_well_formed(self, name: str) -> bool:
        """Whether a named condition is a boolean or a function."""
        return isinstance(self._compiled[name], (Node, bool))

    def expression(self, name: str) -> Expression:
        return self._compiled[name]
