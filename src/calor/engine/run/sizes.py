"""Limits the size of stored values in all stacks of a run's tree."""

from __future__ import annotations

from typing import Any

from calor.language.budget import LIMIT, Sizes, stack_too_large, too_large
from calor.language.expressions import FunctionError
from calor.language.values import size_of

Location = tuple[str, str, str]
"""Where values are stored: stack, resource, and properties, attributes or outputs."""


class SizeLimits:
    """Counts the sizes of stored values; a new value replaces the old one's size."""

    def __init__(self, sizes: Sizes) -> None:
        self._sizes = sizes
        self._sizes_by_location: dict[Location, int] = {}
        self._total = 0

    def count(self, location: Location, size: int) -> None:
        """Sets the size at a location. Raises FunctionError if the total exceeds the limit."""
        total = self._total + size - self._sizes_by_location.get(location, 0)
        if total > self._sizes.stack:
            raise FunctionError(stack_too_large(self._sizes.stack), LIMIT)
        self._sizes_by_location[location] = size
        self._total = total

    def count_value(self, location: Location, name: str, value: Any) -> None:
        """Adds a value at a location. Raises FunctionError if it exceeds a limit."""
        size = size_of(value, self._sizes.value)
        if size > self._sizes.value:
            raise FunctionError(too_large(name, self._sizes.value), LIMIT)
        self.count(location, self._sizes_by_location.get(location, 0) + size)
