"""The short-lived cache."""

from __future__ import annotations

import gc
import weakref
from dataclasses import dataclass

from calor.clouds.cache import TtlCache


@dataclass
class Known:
    proof: str


class Remembering:
    """A memory for ten seconds, and all that it looked up."""

    def __init__(self) -> None:
        self.now = 0.0
        self.memory = TtlCache[Known](10, 3, lambda: self.now)
        self.asked: list[str] = []

    def get_or_load(self, proof: str) -> weakref.ref[Known]:
        def look_up() -> Known:
            self.asked.append(proof)
            return Known(proof)

        return weakref.ref(self.memory.get_or_load(proof, look_up))


def kept(*things: weakref.ref[Known]) -> list[bool]:
    gc.collect()
    return [thing() is not None for thing in things]


def test_cached_values_are_not_loaded_again() -> None:
    remembering = Remembering()

    for proof in ("a", "b", "a"):
        remembering.get_or_load(proof)

    assert remembering.asked == ["a", "b"]


def test_expired_values_are_loaded_again() -> None:
    remembering = Remembering()

    for remembering.now in (0, 9, 10):
        remembering.get_or_load("a")

    assert remembering.asked == ["a", "a"]


def test_what_has_had_its_time_takes_no_room() -> None:
    remembering = Remembering()
    old, older = remembering.get_or_load("a"), remembering.get_or_load("b")
    remembering.now = 5
    young = remembering.get_or_load("c")

    remembering.now = 12
    new = remembering.get_or_load("d")

    assert kept(old, older, young, new) == [False, False, True, True]


def test_no_more_is_kept_than_there_is_room_for() -> None:
    remembering = Remembering()

    things = [remembering.get_or_load(proof) for proof in "abcd"]

    assert kept(*things) == [False, True, True, True]
