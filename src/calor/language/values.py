"""Values that must not be taken at face value: not known yet, or secret.

Both are wrappers, and neither is a str, so that nothing uses or prints one by accident. `peel` takes the
wrappers off before a function computes, and tells how to wrap its result again.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Any, TypeGuard

MASK = "******"


class Unknown:
    """A value that exists only later: an attribute or id of a resource not created yet.

    `stand_in` is what the value looks like meanwhile: functions compute on it, so that a preview of
    `http://{address}/` reads `http:///`, as Heat's does.
    """

    __slots__ = ("is_new", "secret", "stand_in")

    def __init__(self, stand_in: Any = None, secret: bool = False, is_new: bool = False) -> None:
        self.stand_in = stand_in
        self.secret = secret
        self.is_new = is_new
        """Whether it will be unlike any value that exists already: the id of something that is yet to be made."""

    def __repr__(self) -> str:
        return "<known after creation>"

    def __eq__(self, other: object) -> bool:
        """Two values not known yet are not known to be equal; one is only itself."""
        return self is other

    __hash__ = object.__hash__


class Secret:
    """A value that is never printed. `reveal` it only where it has to go out.

    `shown` is what is printed instead: the mask or, of a text that was put together from secrets and other parts, the
    text with masks in the places of the secrets.
    """

    __slots__ = ("_value", "shown")

    def __init__(self, value: Any, shown: Any = MASK) -> None:
        self._value = value
        self.shown = shown

    def reveal(self) -> Any:
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
    """What was peeled off the arguments of a function, to be put around its result."""

    __slots__ = ("secret", "unknown")

    def __init__(self) -> None:
        self.unknown = False
        self.secret = False

    def around(self, value: Any, shown: Any = MASK) -> Any:
        """The value wrapped again; `shown` is what is printed in its place if it is secret."""
        if self.unknown:
            return Unknown(value, self.secret)
        if self.secret and value is not None:
            return Secret(value, shown)
        return value

    def again(self, value: Any, original: Any) -> Any:
        """The value wrapped as what it was converted from; if that did not change it, it is shown likewise, and what
        was known of it beforehand still is."""
        if type(original) is Unknown and original.is_new and original.stand_in == value:
            return original
        same = type(original) is Secret and original.reveal() == value
        return self.around(value, original.shown if same else MASK)

    def note(self, value: Unknown | Secret) -> Any:
        """Records what the value was wrapped in and returns what is inside."""
        if isinstance(value, Unknown):
            self.unknown = True
            self.secret = self.secret or value.secret
            return value.stand_in
        self.secret = True
        return value.reveal()


def is_wrapped(value: Any) -> TypeGuard[Unknown | Secret]:
    return type(value) in (Unknown, Secret)


ALL_LEVELS = 1 << 30


def peel(value: Any, wrapping: Wrapping, levels: int = ALL_LEVELS) -> Any:
    """The value without its wrappers down to a depth; data without any is returned as it is, not copied."""
    kind = type(value)
    if kind is Unknown or kind is Secret:
        return peel(wrapping.note(value), wrapping, levels)
    if levels <= 1:
        return value
    if kind is dict:
        peeled = {key: peel(item, wrapping, levels - 1) for key, item in value.items()}
        return value if all(map(_same, peeled.values(), value.values())) else peeled
    if kind is list:
        items = [peel(item, wrapping, levels - 1) for item in value]
        return value if all(map(_same, items, value)) else items
    return value


def entries(value: Any, known: Container[Any]) -> dict[Any, Any] | None:
    """The entries of a map that may be wrapped, each wrapped as the whole was; None if it is something else.

    Nothing, also as what is not known yet, has no entries. Of a hidden map only the `known` keys show.
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


def _same(one: object, other: object) -> bool:
    return one is other


def bare(value: Any) -> Any:
    """The value as it goes to whoever may see it: secrets revealed, the unknown as its stand-in."""
    return peel(value, Wrapping())


def revealed(value: Any) -> Any:
    """The value with its secrets revealed; what is not known yet stays so."""
    kind = type(value)
    if kind is Secret:
        return revealed(value.reveal())
    if kind is dict:
        made = {key: revealed(item) for key, item in value.items()}
        return value if all(map(_same, made.values(), value.values())) else made
    if kind is list:
        items = [revealed(item) for item in value]
        return value if all(map(_same, items, value)) else items
    return value


def has_unknown(value: Any) -> bool:
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


def surely_differs(before: Any, after: Any) -> bool:
    """Whether two values are known to be unequal, although parts of the second may not be known yet."""
    kind = type(after)
    if kind is Secret:
        return surely_differs(before, after.reveal())
    if kind is Unknown:
        return bool(after.is_new)
    if kind is dict:
        if not isinstance(before, dict) or before.keys() != after.keys():
            return True
        return any(surely_differs(before[key], item) for key, item in after.items())
    if kind is list:
        if not isinstance(before, list) or len(before) != len(after):
            return True
        return any(map(surely_differs, before, after))
    return bool(before != after)


def has_secret(value: Any) -> bool:
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


def concealed(value: Any) -> Any:
    """The value as a secret. Nothing is no secret."""
    kind = type(value)
    if value is None or kind is Secret:
        return value
    if kind is Unknown:
        return value if value.secret else Unknown(value.stand_in, True, value.is_new)
    return Secret(value)


def masked(value: Any) -> Any:
    """The value for showing: secrets as asterisks, what is not known yet as its stand-in."""
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
