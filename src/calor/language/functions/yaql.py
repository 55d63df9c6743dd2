"""The yaql function, with limits on what an expression may use."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from calor.language.expressions import Call, FunctionError, MapNode, Node, Scope


@dataclass(frozen=True, slots=True)
class YaqlLimits:
    iterators: int = 200
    memory: int = 10_000


LIMITS = YaqlLimits()


@cache
def _engine(limits: YaqlLimits) -> Any:
    # Imported when first needed: it takes longer than all the rest of the language.
    import yaql

    options = {"yaql.limitIterators": limits.iterators, "yaql.memoryQuota": limits.memory}
    return yaql.YaqlFactory().create(options)


@cache
def _context() -> Any:
    import yaql

    return yaql.create_context()


def _plain(value: Any) -> Any:
    """The result as template data, which knows no sets and no tuples."""
    if isinstance(value, (set, frozenset)):
        return sorted((_plain(item) for item in value), key=repr)
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


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
            self._parsed(expression)

    def _parsed(self, expression: Any) -> Any:
        if not isinstance(expression, str):
            raise FunctionError(f"`{self.name}`: the expression must be text", "TypeError")
        try:
            return _engine(LIMITS)(expression)
        except Exception as error:
            raise FunctionError(f"`{self.name}` cannot read the expression: {error}") from None

    def apply(self, args: Any, scope: Scope) -> Any:
        statement = self._parsed(args["expression"])
        context = _context().create_child_context()
        context["$"] = {"data": args.get("data", {})}
        try:
            return _plain(statement.evaluate(context=context))
        except Exception as error:
            # Whatever goes wrong in there was brought about by the expression and its data.
            message = f"`{self.name}` failed: {type(error).__name__}: {error}"
            raise FunctionError(message, type(error).__name__) from None
