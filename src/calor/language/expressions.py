"""Values with functions in them, compiled once and evaluated as often as needed.

Data without functions stays what it is: only a container that holds a function somewhere becomes a node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Protocol

from calor.language.constraints import Expressions
from calor.language.diagnostics import Path
from calor.language.values import ALL_LEVELS, MASK, Wrapping, masked, peel


class FunctionError(Exception):
    """A function cannot be built or computed. `kind` is the class of error that Heat's API names for it."""

    def __init__(
        self, message: str, kind: str = "ValueError", hint: str | None = None, *, culprit: Any = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind
        self.hint = hint
        self.culprit = culprit
        """The value that does not fit, if it is a single one."""
        self.at: Path | None = None
        """The innermost function that failed."""


class AlreadyReported(FunctionError):
    """The value cannot be had for a reason that a diagnostic has given before."""

    def __init__(self) -> None:
        super().__init__("this value has an error of its own")


class Scope(Protocol):
    """What functions can ask for while they are evaluated."""

    files: Mapping[str, str]
    mappings: Mapping[str, Any]

    def parameter(self, name: str) -> Any:
        """A parameter's value. Raises FunctionError."""

    def has_parameter(self, name: str) -> bool: ...

    def has_resource(self, name: str) -> bool: ...

    def resource_hint(self, name: str) -> str | None:
        """Why a name may not be that of a resource."""

    def reference(self, name: str) -> Any:
        """A resource's reference id. Raises FunctionError."""

    def attribute(self, resource: str, attribute: str, path: Sequence[Any]) -> Any:
        """An attribute's value, or a part of it. Raises FunctionError."""

    def all_attributes(self, resource: str) -> Any: ...

    def check_attribute(self, resource: str, attribute: str) -> None:
        """Raises FunctionError when the resource's type has no such attribute."""

    def facade(self, what: str) -> Any:
        """`metadata`, `deletion_policy` or `update_policy` of the resource that this template implements."""

    def availability_zones(self) -> list[str]: ...

    expressions: Expressions
    """Evaluates YAQL."""


class Node:
    """Something that has to be evaluated."""

    __slots__ = ()

    def evaluate(self, scope: Scope) -> Any:
        raise NotImplementedError

    def children(self) -> Iterator[Any]:
        raise NotImplementedError


class Vanish(Node):
    """The value of an `if` without an else whose condition is false: its entry disappears."""

    __slots__ = ()

    def evaluate(self, scope: Scope) -> Any:
        return self

    def children(self) -> Iterator[Any]:
        return iter(())

    def __repr__(self) -> str:
        return "<no value>"


VANISH = Vanish()


class Broken(Node):
    """Stands where a function is written wrongly, after that has been reported."""

    __slots__ = ()

    def evaluate(self, scope: Scope) -> Any:
        raise AlreadyReported()

    def children(self) -> Iterator[Any]:
        return iter(())


BROKEN = Broken()


def resolve(value: Any, scope: Scope) -> Any:
    """The value of a compiled expression."""
    return value.evaluate(scope) if isinstance(value, Node) else value


def resolve_top(value: Any, scope: Scope) -> Any:
    """Like `resolve`, of a whole property or output, which cannot vanish: it is null then."""
    resolved = resolve(value, scope)
    return None if resolved is VANISH else resolved


class MapNode(Node):
    __slots__ = ("entries",)

    def __init__(self, entries: dict[str, Any]) -> None:
        self.entries = entries

    def evaluate(self, scope: Scope) -> Any:
        made = {}
        for key, value in self.entries.items():
            resolved = value.evaluate(scope) if isinstance(value, Node) else value
            if resolved is not VANISH:
                made[key] = resolved
        return made

    def children(self) -> Iterator[Any]:
        return iter(self.entries.values())


class ListNode(Node):
    __slots__ = ("items",)

    def __init__(self, items: list[Any]) -> None:
        self.items = items

    def evaluate(self, scope: Scope) -> Any:
        made = [value.evaluate(scope) if isinstance(value, Node) else value for value in self.items]
        return [value for value in made if value is not VANISH]

    def children(self) -> Iterator[Any]:
        return iter(self.items)


class Call(Node):
    """A function with its arguments, which are compiled expressions themselves.

    A subclass checks in `check` how it is written, and computes in `apply` from arguments free of wrappers.
    """

    __slots__ = ("args", "name", "path")

    levels: ClassVar[int] = ALL_LEVELS
    """How deep the arguments are looked into. What lies deeper is passed on as it is, still wrapped."""
    keeps_parts: ClassVar[bool] = False
    """Whether the arguments are parts of the result, as they are: then it is shown with only the secret ones masked."""

    def __init__(self, name: str, args: Any, path: Path) -> None:
        self.name = name
        self.args = args
        self.path = path
        self.check()

    def check(self) -> None:
        """Raises FunctionError when the function is written wrongly."""

    def validate(self, scope: Scope) -> None:
        """Raises FunctionError for what can be known to be wrong before anything is evaluated."""

    def evaluate(self, scope: Scope) -> Any:
        try:
            return self.compute(scope)
        except FunctionError as error:
            error.at = error.at or self.path
            raise

    def compute(self, scope: Scope) -> Any:
        wrapping = Wrapping()
        resolved = resolve(self.args, scope)
        args = peel(resolved, wrapping, self.levels)
        try:
            made = self.apply(args, scope)
            return wrapping.around(made, self._shown(resolved, scope) if wrapping.secret else MASK)
        except FunctionError as error:
            if wrapping.unknown and error.culprit is None:
                # It may be only the stand-in that does not fit.
                return wrapping.around(None)
            if wrapping.secret:
                raise self._tactful(error, resolved, scope) from None
            raise

    def _tactful(self, error: FunctionError, args: Any, scope: Scope) -> FunctionError:
        """An error that tells nothing of secret arguments: the same one if it comes without them, too."""
        try:
            self.apply(masked(args), scope)
        except FunctionError as told:
            if told.kind == error.kind and not isinstance(told, AlreadyReported):
                return told
        return FunctionError(f"`{self.name}` cannot be computed of a hidden value", error.kind)

    def _shown(self, args: Any, scope: Scope) -> Any:
        """The result for showing. It is made from masked arguments, so that nothing in it tells of the secrets."""
        if not self.keeps_parts:
            return MASK
        try:
            return self.apply(masked(args), scope)
        except FunctionError:
            return MASK

    def apply(self, args: Any, scope: Scope) -> Any:
        raise NotImplementedError

    def children(self) -> Iterator[Any]:
        yield self.args

    def has_list(self, *sizes: int) -> bool:
        """Whether the arguments are written as a list of one of these lengths."""
        items = self.args.items if isinstance(self.args, ListNode) else self.args
        return isinstance(items, list) and len(items) in sizes

    def resource(self, scope: Scope) -> str | None:
        """The resource that this function itself reads, if it reads one. Raises FunctionError."""
        return None


def calls(value: Any) -> Iterator[Call]:
    """All functions in an expression, outermost first."""
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, Node):
            if isinstance(node, Call):
                yield node
            stack.extend(reversed(list(node.children())))


Complaint = Callable[[FunctionError, Path], None]
"""Told about each function that is written wrongly, and where."""

Macro = Callable[[str, Any, Path, "Compiler"], Any]
"""Gets its arguments as written, so that it decides what of them is compiled at all."""


class Compiler:
    """Turns data into expressions with the functions of one template version."""

    def __init__(
        self, functions: Mapping[str, type[Call]], macros: Mapping[str, Macro], complain: Complaint
    ) -> None:
        self.functions = functions
        self.macros = macros
        self.complain = complain

    def compile(self, data: Any, path: Path) -> Any:
        """The expression for some data."""
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

    def _function(self, name: str, args: Any, path: Path) -> Any:
        try:
            if name in self.macros:
                return self.macros[name](name, args, path, self)
            return self.functions[name](name, self.compile(args, path), path)
        except FunctionError as error:
            if not isinstance(error, AlreadyReported):
                self.complain(error, path)
            return BROKEN
