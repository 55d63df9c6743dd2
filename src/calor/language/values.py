"""Wrappers for values that are secret or not known yet.

Neither is a str, so that nothing uses or prints one by accident. `peel` removes the wrappers before a function is
computed, and records how to wrap its result again.
"""

from __future__ import annotations

from collections.abc import Container
from operator import is_
from sys import getsizeof
from typing import Any, TypeAlias, TypeGuard

TemplateValue: TypeAlias = Any
"""A value of a template: any YAML or JSON value and, once evaluated, with `Unknown` and `Secret` anywhere in it."""
TemplateMap: TypeAlias = dict[Any, Any]
"""A map of a template. YAML keys need not be text."""

MASK = "******"

MOST_ITEMS = 200_000
"""The maximum number of items of a list that is computed from a shorter value."""


class Unknown:
    """A value that is not known yet: an attribute or id of a resource that has not been created.

    Functions compute with `stand_in` in its place, so that a preview of `http://{address}/` is `http:///`, as in Heat.
    """

    __slots__ = ("is_new", "secret", "stand_in")

    def __init__(self, stand_in: TemplateValue = None, secret: bool = False, is_new: bool = False) -> None:
        self.stand_in = stand_in
        self.secret = secret
        self.is_new = is_new
        """Whether it will differ from every existing value: the id of an object that has not been created."""

    def __repr__(self) -> str:
        return "<known after creation>"

    def __eq__(self, other: object) -> bool:
        """An unknown value equals only itself."""
        return self is other

    __hash__ = object.__hash__


class Secret:
    """A value that is never printed. Call `reveal` only where the value is needed.

    `shown` is printed instead: the mask or, for a text made from secrets and other parts, the text with the secrets
    masked.
    """

    __slots__ = ("_value", "shown")

    def __init__(self, value: TemplateValue, shown: TemplateValue = MASK) -> None:
        self._value = value
        self.shown = shown

    def reveal(self) -> TemplateValue:
        return self._value

    def __repr__(self) -> str:
        return MASK

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return MASK

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._value == other._value

    def __hash__(self) -> int:
        return hash(("Secret", repr(self._value)))


class Wrapping:
    """The wrappers that were removed from the arguments of a function, for wrapping its result."""

    __slots__ = ("secret", "unknown")

    def __init__(self) -> None:
        self.unknown = False
        self.secret = False

    def around(self, value: object, shown: object = MASK) -> TemplateValue:
        """The value wrapped again; `shown` is printed instead if it is secret."""
        if self.unknown:
            return Unknown(value, self.secret)
        if self.secret and value is not None:
            return Secret(value, shown)
        return value

    def again(self, value: TemplateValue, original: TemplateValue) -> TemplateValue:
        """The value wrapped like the original that it was converted from. If the conversion did not change it, `shown`
        and `is_new` are kept."""
        if type(original) is Unknown and original.is_new and original.stand_in == value:
            return original
        same = type(original) is Secret and original.reveal() == value
        return self.around(value, original.shown if same else MASK)

    def note(self, value: Unknown | Secret) -> TemplateValue:
        """Records the wrapper of the value and returns its content."""
        if isinstance(value, Unknown):
            self.unknown = True
            self.secret = self.secret or value.secret
            return value.stand_in
        self.secret = True
        return value.reveal()


def is_wrapped(value: object) -> TypeGuard[Unknown | Secret]:
    return type(value) in (Unknown, Secret)


ALL_LEVELS = 1 << 30
_PLAIN = frozenset({str, int, float, bool, type(None)})


def peel(value: TemplateValue, wrapping: Wrapping, levels: int = ALL_LEVELS) -> TemplateValue:
    """The value without wrappers down to a depth; data without wrappers is returned uncopied."""
    kind = type(value)
    if kind is Unknown or kind is Secret:
        return peel(wrapping.note(value), wrapping, levels)
    if levels <= 1:
        return value
    # Most values are plain: a call for each would be most of the cost.
    if kind is dict:
        peeled = {
            key: item if type(item) in _PLAIN else peel(item, wrapping, levels - 1)
            for key, item in value.items()
        }
        return value if all(map(is_, peeled.values(), value.values())) else peeled
    if kind is list:
        items = [item if type(item) in _PLAIN else peel(item, wrapping, levels - 1) for item in value]
        return value if all(map(is_, items, value)) else items
    return value


def entries(value: object, known: Container[TemplateValue]) -> TemplateMap | None:
    """The entries of a map that may be wrapped, each wrapped as the map was; None if it is not a map.

    None, also as a stand-in, has no entries. Of a hidden map only the `known` keys are shown.
    """
    wrapping = Wrapping()
    plain = peel(value, wrapping, 1)
    if plain is None:
        return {}
    if not isinstance(plain, dict):
        return None
    return {
        MASK if wrapping.secret and key not in known else key: wrapping.around(item)
        for key, item in plain.items()
    }


def bare(value: object) -> TemplateValue:
    """The value without wrappers: secrets revealed, unknown values as their stand-ins."""
    return peel(value, Wrapping())


def revealed(value: TemplateValue) -> TemplateValue:
    """The value with its secrets revealed; unknown values stay wrapped."""
    kind = type(value)
    if kind is Secret:
        return revealed(value.reveal())
    if kind is dict:
        made = {key: revealed(item) for key, item in value.items()}
        return value if all(map(is_, made.values(), value.values())) else made
    if kind is list:
        items = [revealed(item) for item in value]
        return value if all(map(is_, items, value)) else items
    return value


def has_unknown(value: TemplateValue) -> bool:
    kind = type(value)
    if kind is Unknown:
        return True
    if kind is Secret:
        return has_unknown(value.reveal())
    if kind is dict:
        return any(map(has_unknown, value.values()))
    if kind is list:
        return any(map(has_unknown, value))
    return False


def definitely_differs(before: TemplateValue, after: TemplateValue) -> bool:
    """Whether two values are known to differ, although parts of the second may be unknown."""
    kind = type(after)
    if kind is Secret:
        return definitely_differs(before, after.reveal())
    if kind is Unknown:
        return bool(after.is_new)
    if kind is dict:
        if not isinstance(before, dict) or before.keys() != after.keys():
            return True
        return any(definitely_differs(before[key], item) for key, item in after.items())
    if kind is list:
        if not isinstance(before, list) or len(before) != len(after):
            return True
        return any(map(definitely_differs, before, after))
    return bool(before != after)


def has_secret(value: TemplateValue) -> bool:
    kind = type(value)
    if kind is Secret:
        return True
    if kind is Unknown:
        return bool(value.secret)
    if kind is dict:
        return any(map(has_secret, value.values()))
    if kind is list:
        return any(map(has_secret, value))
    return False


def concealed(value: TemplateValue) -> TemplateValue:
    """The value as a secret; None stays None."""
    kind = type(value)
    if value is None or kind is Secret:
        return value
    if kind is Unknown:
        return value if value.secret else Unknown(value.stand_in, True, value.is_new)
    return Secret(value)


def remarked(value: object, shown: object) -> TemplateValue:
    """A plain value with its secrets wrapped again, found by comparison with the result of `masked`."""
    if isinstance(value, dict) and isinstance(shown, dict) and value.keys() == shown.keys():
        return {key: remarked(item, shown[key]) for key, item in value.items()}
    if isinstance(value, list) and isinstance(shown, list) and len(value) == len(shown):
        return list(map(remarked, value, shown))
    return value if value == shown else Secret(value, shown)


def masked(value: TemplateValue) -> TemplateValue:
    """The value for display: secrets masked, unknown values as their stand-ins."""
    kind = type(value)
    if kind is Secret:
        return value.shown
    if kind is Unknown:
        return MASK if value.secret else masked(value.stand_in)
    if kind is dict:
        return {key: masked(item) for key, item in value.items()}
    if kind is list:
        return [masked(item) for item in value]
    return value


def size_of(value: TemplateValue, most: int) -> int:
    """The size of a value in bytes of memory if nothing in it is shared; if that is more than `most`, any larger
    number."""
    total = 0
    parts = [value]
    while parts:
        part = parts.pop()
        kind = type(part)
        if kind is Secret:
            parts.append(part.reveal())
        elif kind is Unknown:
            parts.append(part.stand_in)
        else:
            total += getsizeof(part)
            if total > most:
                break
            if kind is dict:
                total += sum(map(getsizeof, part))
                part = part.values()
            elif kind is not list:
                continue
            for item in part:
                if type(item) is str:
                    total += getsizeof(item)
                else:
                    parts.append(item)
    return total
