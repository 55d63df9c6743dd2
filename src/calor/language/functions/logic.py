"""Conditions: functions that return true or false, and `if`, which uses them."""

from __future__ import annotations

from calor.language.diagnostics import Path
from calor.language.expressions import (
    OMITTED,
    Call,
    Compiler,
    Conditions,
    Expression,
    FunctionError,
    ListNode,
    Scope,
    resolve,
)
from calor.language.values import TemplateValue, Unknown, Wrapping, peel


class Equals(Call):
    """Whether two values are equal."""

    def check(self) -> None:
        if not self.has_list(2):
            raise FunctionError(f"`{self.name}` takes a list of two values")

    def compute(self, scope: Scope) -> TemplateValue:
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

    def operands(self) -> list[Expression]:
        items: list[Expression] = self.args.items if isinstance(self.args, ListNode) else self.args
        return items

    def validate(self, scope: Scope) -> None:
        for operand in self.operands():
            scope.conditions.truth(operand)


class And(Combination):
    """Whether all conditions are true."""

    def compute(self, scope: Scope) -> bool:
        return all(scope.conditions.truth(operand) for operand in self.operands())


class Or(Combination):
    """Whether any of the conditions is true."""

    def compute(self, scope: Scope) -> bool:
        return any(scope.conditions.truth(operand) for operand in self.operands())


class Not(Call):
    """Whether a condition is false."""

    def check(self) -> None:
        if not self.args and self.args is not False:
            raise FunctionError(f"`{self.name}` takes a condition")

    def compute(self, scope: Scope) -> bool:
        return not scope.conditions.truth(self.operand)

    @property
    def operand(self) -> TemplateValue:
        return self.args

    def validate(self, scope: Scope) -> None:
        scope.conditions.truth(self.operand)


class NotCfn(Not):
    """Whether a condition, given in a list, is false."""

    def check(self) -> None:
        if not self.has_list(1):
            raise FunctionError(f"`{self.name}` takes a list of one condition")

    @property
    def operand(self) -> TemplateValue:
        return (self.args.items if isinstance(self.args, ListNode) else self.args)[0]


class Removed(Call):
    """A function that was removed from this version of the language. Its call is kept as data."""

    def validate(self, scope: Scope) -> None:
        raise FunctionError(f"`{self.name}` is not part of this template version", "InvalidTemplateVersion")

    def compute(self, scope: Scope) -> TemplateValue:
        return {self.name: resolve(self.args, scope)}


class NotInConditions(Call):
    """A function that conditions cannot use."""

    def check(self) -> None:
        raise FunctionError(f"`{self.name}` cannot be used in a condition")


class If:
    """One of two values, by a condition; the other one is not evaluated."""

    def __init__(self, conditions: Conditions, else_optional: bool = False) -> None:
        self.conditions = conditions
        self.sizes = (2, 3) if else_optional else (3,)

    def __call__(self, name: str, args: object, path: Path, compiler: Compiler) -> TemplateValue:
        if not isinstance(args, list) or len(args) not in self.sizes:
            raise FunctionError(f"`{name}` takes a list of a condition, a value and another value")
        condition = self.conditions.written(args[0], (*path, 0))
        taken = 1 if self.conditions.truth(condition) else 2
        return compiler.compile(args[taken], (*path, taken)) if taken < len(args) else OMITTED
