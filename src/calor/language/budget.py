"""Limits on the size of values: a few lines of a template can expand to very large ones. Sizes are counted as if
nothing were shared, because that is what is stored and sent."""

from __future__ import annotations

from dataclasses import dataclass
from sys import getsizeof

from calor.language.expressions import FunctionError
from calor.language.values import Unknown, size_of

LIMIT = "RequestLimitExceeded"


@dataclass(frozen=True, slots=True)
class Sizes:
    """The limits in bytes of memory: about one for each character, and some for each item."""

    value: int = 4 * 1024 * 1024
    """A property, the metadata of a resource, an attribute that is read, an output."""
    stack: int = 256 * 1024 * 1024
    """All values of a stack and its nested stacks, with intermediate results."""


DEFAULT_SIZES = Sizes()

_SINGLE = frozenset({str, int, float, bool, type(None)})


class Budget:
    """Counts while a stack is evaluated. Raises FunctionError once the values are too large."""

    __slots__ = ("sizes", "spent")

    def __init__(self, sizes: Sizes) -> None:
        self.sizes = sizes
        self.spent = 0

    def spend(self, value: object) -> None:
        """Counts the result of a function, which may be large although the value in which it is used is small."""
        if type(value) is Unknown:
            value = value.stand_in
        left = self.sizes.stack - self.spent
        self.add(getsizeof(value) if type(value) is str else size_of(value, left))

    def add(self, size: int) -> None:
        self.spent += size
        if self.spent > self.sizes.stack:
            raise FunctionError(stack_too_large(self.sizes.stack), LIMIT)

    def work(self, characters: int) -> None:
        """Counts text that is searched, which takes time but no memory."""
        self.add(characters >> 6)

    def hold(self, name: str, value: object) -> int:
        """Counts a value that is stored, and returns its size."""
        size = getsizeof(value) if type(value) in _SINGLE else size_of(value, self.sizes.value)
        if size > self.sizes.value:
            raise FunctionError(too_large(name, self.sizes.value), LIMIT)
        self.add(size)
        return size


def check_members(sizes: Sizes, members: int, values: object) -> None:
    """Raises FunctionError if the members of a group are too large in total."""
    if members > 1 and members * size_of(values, sizes.stack) > sizes.stack:
        raise FunctionError(stack_too_large(sizes.stack), LIMIT)


def too_large(name: str, most: int) -> str:
    return f"`{name}` is too large: at most {most:,} bytes are allowed for a value"


def stack_too_large(most: int) -> str:
    return f"the values of the stack are too large: at most {most:,} bytes are allowed for all of them"
