"""What is known of credentials for a short time."""

from __future__ import annotations

import gc
import weakref
from dataclasses import dataclass

from calor.clouds.memory import Memory


@dataclass
class Known:
    proof: str


class Remembering:
    """A memory for ten seconds, and all that it looked up."""

    def __init__(self) -> None:
        self.now = 0.0
        self.memory = Memory[Known](10, 3, lambda: self.now)
        self.asked: list[str] = []

    def recall(self, proof: str) -> weakref.ref[Known]:
        def look_up() -> Known:
            self.asked.append(proof)
            return Known(proof)

        return weakref.ref(self.memory.recall(proof, look_up))


def kept(*things: weakref.ref[Known]) -> list[bool]:
    gc.collect()
    return [thing() is not None for thing in things]


def test_what_is_known_is_not_asked_for_again() -> None:
    remembering = Remembering()

    for proof in ("a", "b", "a"):
        remembering.recall(proof)

    assert remembering.asked == ["a", "b"]


def test_what_has_had_its_time_is_asked_for_anew() -> None:
    remembering = Remembering()

    for remembering.now in (0, 9, 10):
        remembering.recall("a")

    assert remembering.asked == ["a", "a"]


def test_what_has_had_its_time_takes_no_room() -> None:
    remembering = Remembering()
    old, older = remembering.recall("a"), remembering.recall("b")
    remembering.now = 5
    young = remembering.recall("c")

    remembering.now = 12
    new = remembering.recall("d")

    assert kept(old, older, young, new) == [False, False, True, True]


def test_no_more_is_kept_than_there_is_room_for() -> None:
    remembering = Remembering()

    things = [remembering.recall(proof) for proof in "abcd"]

    assert kept(*things) == [False, True, True, True]
