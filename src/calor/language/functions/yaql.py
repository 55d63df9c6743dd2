"""The yaql function, evaluated elsewhere: an expression may take as much time and memory as it likes."""

from __future__ import annotations

from typing import Any

from calor.bounded.errors import YaqlFailed
from calor.language.expressions import Call, FunctionError, MapNode, Node, Scope


class Yaql(Call):
    """The result of a YAQL expression on data."""

    def check(self) -> None:
        args = self.args.entries if isinstance(self.args, MapNode) else self.args
        if not isinstance(args, dict):
            raise FunctionError(f"`{self.name}` takes a map of `expression` and `data`", "TypeError")
        if "expression" not in args or set(args) - {"expression", "data"}:
            raise FunctionError(f"`{self.name}` takes `expression` and `data`", "KeyError")

    def validate(self, scope: Scope) -> None:
        args = self.args.entries if isinstance(self.args, MapNode) else self.args
        expression = args["expression"]
        if not isinstance(expression, Node):
            self._check(expression, scope)

    def _check(self, expression: Any, scope: Scope) -> None:
        if not isinstance(expression, str):
            raise FunctionError(f"`{self.name}`: the expression must be text", "TypeError")
        try:
            scope.expressions.check_yaql(expression)
        except YaqlFailed as error:
            raise FunctionError(f"`{self.name}` cannot read the expression: {error}") from None

    def apply(self, args: Any, scope: Scope) -> Any:
        expression = args["expression"]
        self._check(expression, scope)
        try:
            return scope.expressions.yaql(expression, args.get("data", {}))
        except YaqlFailed as error:
            raise FunctionError(f"`{self.name}` failed: {error.kind}: {error}", error.kind) from None
