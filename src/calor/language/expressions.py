"""Values with functions in them, compiled once and evaluated as often as needed.

Data without functions stays as it is: only a container with a function somewhere in it becomes a node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Protocol, TypeAlias

from calor.language.constraints import Expressions
from calor.language.diagnostics import Path
from calor.language.values import ALL_LEVELS, MASK, TemplateValue, Wrapping, masked, peel

Expression: TypeAlias = Any
"""A compiled template value: the value itself, or a `Node` if it contains functions."""

SHORT = 200
"""Text up to this length is not counted: the function call itself takes as much memory."""


class FunctionError(Exception):
    """A function is malformed or cannot be computed. `kind` is the class of the error in Heat's API."""

    def __init__(
        self,
        message: str,
        kind: str = "ValueError",
        hint: str | None = None,
        *,
        wrong_value: TemplateValue = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind
        self.hint = hint
        self.wrong_value = wrong_value
        """The wrong value, if it is a single one."""
        self.at: Path | None = None
        """The innermost function that failed."""


class AlreadyReported(FunctionError):
    """The value is not available, for a reason that has been reported."""

    def __init__(self) -> None:
        super().__init__("the value has an error that is reported elsewhere")


class Spending(Protocol):
    def spend(self, value: object) -> None:
        """Counts the result of a function. Raises FunctionError if the limit is exceeded."""

    def work(self, characters: int) -> None:
        """Counts text that is searched. Raises FunctionError if the limit is exceeded."""


class Conditions(Protocol):
    """A template's conditions, for `if` and for functions of conditions."""

    def truth(self, condition: Expression) -> bool:
        """Whether a compiled condition is true: a name, a boolean or a function. Raises FunctionError."""

    def written(self, data: TemplateValue, path: Path) -> Expression:
        """The compiled form of a condition as written. Raises FunctionError when it cannot be one."""


class Scope(Protocol):
    """What functions can read while they are evaluated."""

    files: Mapping[str, str]
    mappings: Mapping[str, TemplateValue]

    def parameter(self, name: str) -> TemplateValue:
        """A parameter's value. Raises FunctionError."""

    def has_parameter(self, name: str) -> bool: ...

    def has_resource(self, name: str) -> bool: ...

    def resource_hint(self, name: str) -> str | None:
        """A hint on why there is no resource of this name."""

    def reference(self, name: str) -> TemplateValue:
        """A resource's reference id. Raises FunctionError."""

    def attribute(self, resource: str, attribute: str, path: Sequence[TemplateValue]) -> TemplateValue:
        """An attribute's value, or a part of it. Raises FunctionError."""

    def all_attributes(self, resource: str) -> TemplateValue: ...

    def check_attribute(self, resource: str, attribute: str) -> None:
        """Raises FunctionError when the resource's type has no such attribute."""

    def facade(self, what: str) -> TemplateValue:
        """`metadata`, `deletion_policy` or `update_policy` of the resource that this template implements."""

    def availability_zones(self) -> list[str]: ...

    expressions: Expressions
    """Evaluates YAQL."""

    @property
    def budget(self) -> Spending:
        """Counts values."""

    @property
    def conditions(self) -> Conditions: ...


class Node:
    """A part of an expression that has to be evaluated."""

    __slots__ = ()

    def evaluate(self, scope: Scope) -> TemplateValue:
        raise NotImplementedError

    def children(self) -> Iterator[TemplateValue]:
        raise NotImplementedError


class Omitted(Node):
    """The value of an `if` without an else, if the condition is false: the entry is left out."""

    __slots__ = ()

    def evaluate(self, scope: Scope) -> TemplateValue:
        return self

    def children(self) -> Iterator[TemplateValue]:
        return iter(())

    def __repr__(self) -> str:
        return "<no value>"


OMITTED = Omitted()


class Broken(Node):
    """Replaces a malformed function, which has been reported."""

    __slots__ = ()

    def evaluate(self, scope: Scope) -> TemplateValue:
        raise AlreadyReported()

    def children(self) -> Iterator[TemplateValue]:
        return iter(())


BROKEN = Broken()


def resolve(value: object, scope: Scope) -> TemplateValue:
    """The value of a compiled expression."""
    return value.evaluate(scope) if isinstance(value, Node) else value


def resolve_top(value: object, scope: Scope) -> TemplateValue:
    """Like `resolve`, for a whole property or output, which cannot be left out and is null instead."""
    resolved = resolve(value, scope)
    return None if resolved is OMITTED else resolved


class MapNode(Node):
    __slots__ = ("entries",)

    def __init__(self, entries: dict[str, TemplateValue]) -> None:
        self.entries = entries

    def evaluate(self, scope: Scope) -> TemplateValue:
        made = {}
        for key, value in self.entries.items():
            resolved = value.evaluate(scope) if isinstance(value, Node) else value
            if resolved is not OMITTED:
                made[key] = resolved
        return made

    def children(self) -> Iterator[TemplateValue]:
        return iter(self.entries.values())


class ListNode(Node):
    __slots__ = ("items",)

    def __init__(self, items: list[TemplateValue]) -> None:
        self.items = items

    def evaluate(self, scope: Scope) -> TemplateValue:
        made = [value.evaluate(scope) if isinstance(value, Node) else value for value in self.items]
        return [value for value in made if value is not OMITTED]

    def children(self) -> Iterator[TemplateValue]:
        return iter(self.items)


class Call(Node):
    """A function with its arguments, which are compiled expressions themselves.

    A subclass checks its arguments in `check`, and computes its value in `apply` from arguments without wrappers.
    """

    __slots__ = ("args", "name", "path")

    levels: ClassVar[int] = ALL_LEVELS
    """The depth to which wrappers are removed from the arguments. Deeper values are passed on as they are."""
    keeps_parts: ClassVar[bool] = False
    """Whether the arguments are parts of the result, so that only the secret ones are masked in it."""

    def __init__(self, name: str, args: TemplateValue, path: Path) -> None:
        self.name = name
        self.args = args
        self.path = path
        self.check()

    def check(self) -> None:
        """Raises FunctionError if the function is malformed."""

    def validate(self, scope: Scope) -> None:
        """Raises FunctionError for errors that can be found before anything is evaluated."""

    def evaluate(self, scope: Scope) -> TemplateValue:
        try:
            made = self.compute(scope)
            if type(made) is not str or len(made) > SHORT:
                scope.budget.spend(made)
        except FunctionError as error:
            error.at = error.at or self.path
            raise
        return made

    def compute(self, scope: Scope) -> TemplateValue:
        wrapping = Wrapping()
        resolved = resolve(self.args, scope)
        args = peel(resolved, wrapping, self.levels)
        try:
            made = self.apply(args, scope)
            return wrapping.around(made, self._shown(resolved, scope) if wrapping.secret else MASK)
        except FunctionError as error:
            if wrapping.unknown and error.wrong_value is None:
                # The error may be due to a stand-in only.
                return wrapping.around(None)
            if wrapping.secret:
                raise self._without_secrets(error, resolved, scope) from None
            raise

    def _without_secrets(self, error: FunctionError, args: object, scope: Scope) -> FunctionError:
        """An error that does not disclose secret arguments: the one that masked arguments cause, if it is the same."""
        try:
            self.apply(masked(args), scope)
        except FunctionError as harmless:
            if harmless.kind == error.kind and not isinstance(harmless, AlreadyReported):
                return harmless
        return FunctionError(f"`{self.name}` cannot be computed from a hidden value", error.kind)

    def _shown(self, args: object, scope: Scope) -> TemplateValue:
        """The result for display: computed from masked arguments, so that it cannot disclose secrets."""
        if not self.keeps_parts:
            return MASK
        try:
            return self.apply(masked(args), scope)
        except FunctionError:
            return MASK

    def apply(self, args: object, scope: Scope) -> TemplateValue:
        raise NotImplementedError

    def children(self) -> Iterator[TemplateValue]:
        yield self.args

    def has_list(self, *sizes: int) -> bool:
        """Whether the arguments are a list of one of these lengths."""
        items = self.args.items if isinstance(self.args, ListNode) else self.args
        return isinstance(items, list) and len(items) in sizes

    def resource(self, scope: Scope) -> str | None:
        """The resource that this function reads, if any. Raises FunctionError."""
        return None


def calls(value: object) -> Iterator[Call]:
    """All functions in an expression, outermost first."""
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, Node):
            if isinstance(node, Call):
                yield node
            stack.extend(reversed(list(node.children())))


ErrorHandler = Callable[[FunctionError, Path], None]
"""Called for each malformed function, with its path."""

Macro = Callable[[str, TemplateValue, Path, "Compiler"], TemplateValue]
"""A function that gets its arguments uncompiled, and decides which of them to compile."""


class Compiler:
    """Turns data into expressions with the functions of one template version."""

    def __init__(
        self, functions: Mapping[str, type[Call]], macros: Mapping[str, Macro], on_error: ErrorHandler
    ) -> None:
        self.functions = functions
        self.macros = macros
        self.on_error = on_error

    def compile(self, data: TemplateValue, path: Path) -> TemplateValue:
        """The expression for data."""
        kind = type(data)
        if kind is dict:
            if len(data) == 1:
                ((name, args),) = data.items()
                if name in self.macros or name in self.functions:
                    return self._function(name, args, (*path, name))
            entries = {key: self.compile(value, (*path, key)) for key, value in data.items()}
            if any(isinstance(value, Node) for value in entries.values()):
                return MapNode(entries)
            return data if all(entries[key] is data[key] for key in data) else entries
        if kind is list:
            items = [self.compile(value, (*path, index)) for index, value in enumerate(data)]
            if any(isinstance(value, Node) for value in items):
                return ListNode(items)
            return data if all(made is given for made, given in zip(items, data, strict=True)) else items
        return data

    def _function(self, name: str, args: object, path: Path) -> TemplateValue:
        try:
            if name in self.macros:
                return self.macros[name](name, args, path, self)
            return self.functions[name](name, self.compile(args, path), path)
        except FunctionError as error:
            if not isinstance(error, AlreadyReported):
                self.on_error(error, path)
            return BROKEN
