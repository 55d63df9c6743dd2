"""Conditions: functions that give true or false, and the `if` that chooses by them."""

from __future__ import annotations

from typing import Any, Protocol

from calor.language.diagnostics import Path
from calor.language.expressions import VANISH, Call, Compiler, FunctionError, ListNode, Scope, resolve
from calor.language.values import Unknown, Wrapping, peel


class Conditions(Protocol):
    """What `if` and the combining functions need of a template's conditions."""

    def truth(self, condition: Any) -> bool:
        """Whether a compiled condition holds: a name, a boolean or a function. Raises FunctionError."""

    def written(self, data: Any, path: Path) -> Any:
        """The compiled form of a condition as written. Raises FunctionError when it cannot be one."""


class ConditionScope(Scope, Protocol):
    conditions: Conditions


class Equals(Call):
    """Whether two values are the same."""

    def check(self) -> None:
        if not self.has_list(2):
            raise FunctionError(f"`{self.name}` takes a list of two values")

    def compute(self, scope: Scope) -> Any:
        wrapping = Wrapping()
        one, other = peel(resolve(self.args, scope), wrapping)
        same = bool(one == other)
        return Unknown(same) if wrapping.unknown else same


class Combination(Call):
    """Combines conditions."""

    def check(self) -> None:
        items = self.args.items if isinstance(self.args, ListNode) else self.args
        if not isinstance(items, list) or len(items) < 2:
            raise FunctionError(f"`{self.name}` takes a list of two or more conditions")

    def operands(self, scope: Any) -> list[Any]:
        items: list[Any] = self.args.items if isinstance(self.args, ListNode) else self.args
        return items

    def validate(self, scope: Any) -> None:
        for operand in self.operands(scope):
            scope.conditions.truth(operand)


class And(Combination):
    """Whether all conditions hold."""

    def compute(self, scope: Any) -> Any:
        return all(scope.conditions.truth(operand) for operand in self.operands(scope))


class Or(Combination):
    """Whether any of the conditions holds."""

    def compute(self, scope: Any) -> Any:
        return any(scope.conditions.truth(operand) for operand in self.operands(scope))


class Not(Call):
    """Whether a condition does not hold."""

    def check(self) -> None:
        if not self.args and self.args is not False:
            raise FunctionError(f"`{self.name}` takes a condition")

    def compute(self, scope: Any) -> Any:
        return not scope.conditions.truth(self.operand)

    @property
    def operand(self) -> Any:
        return self.args

    def validate(self, scope: Any) -> None:
        scope.conditions.truth(self.operand)


class NotCfn(Not):
    """Whether a condition, given in a list, does not hold."""

    def check(self) -> None:
        if not self.has_list(1):
            raise FunctionError(f"`{self.name}` takes a list of one condition")

    @property
    def operand(self) -> Any:
        return (self.args.items if isinstance(self.args, ListNode) else self.args)[0]


class Removed(Call):
    """A function that this version of the language no longer has. It stays as it was written."""

    def validate(self, scope: Scope) -> None:
        raise FunctionError(f"`{self.name}` is not part of this template version", "InvalidTemplateVersion")

    def compute(self, scope: Scope) -> Any:
        return {self.name: resolve(self.args, scope)}


class NotHere(Call):
    """A function that conditions cannot use."""

    def check(self) -> None:
        raise FunctionError(f"`{self.name}` cannot be used in a condition")


class If:
    """One of two values, as a condition decides; the other one is not even looked at."""

    def __init__(self, conditions: Conditions, else_optional: bool = False) -> None:
        self.conditions = conditions
        self.sizes = (2, 3) if else_optional else (3,)

    def __call__(self, name: str, args: Any, path: Path, compiler: Compiler) -> Any:
        if not isinstance(args, list) or len(args) not in self.sizes:
            raise FunctionError(f"`{name}` takes a list of a condition, a value and another value")
        condition = self.conditions.written(args[0], (*path, 0))
        taken = 1 if self.conditions.truth(condition) else 2
        return compiler.compile(args[taken], (*path, taken)) if taken < len(args) else VANISH
