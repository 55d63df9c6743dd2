"""The yaql function. Expressions are evaluated in another process, as they may need any amount of time and memory."""

from __future__ import annotations

from calor.bounded.errors import YaqlFailed
from calor.language.expressions import Call, FunctionError, MapNode, Node, Scope
from calor.language.functions.sizes import check_size
from calor.language.values import TemplateValue


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

    def _check(self, expression: object, scope: Scope) -> None:
        if not isinstance(expression, str):
            raise FunctionError(f"`{self.name}`: the expression must be a string", "TypeError")
        try:
            scope.expressions.check_yaql(expression)
        except YaqlFailed as error:
            raise FunctionError(f"`{self.name}` cannot parse the expression: {error}") from None

    def apply(self, args: TemplateValue, scope: Scope) -> TemplateValue:
        expression = args["expression"]
        self._check(expression, scope)
        data = args.get("data", {})
        check_size(self.name, data)
        try:
            return scope.expressions.yaql(expression, data)
        except YaqlFailed as error:
            raise FunctionError(f"`{self.name}` failed: {error.kind}: {error}", error.kind) from None
