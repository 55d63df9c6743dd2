from __future__ import annotations

import string
from collections.abc import Iterator
from dataclasses import dataclass

from calor.entropy import Entropy
from calor.language.constraints import one_of, range_
from calor.language.schema import SHOW, Attribute, Problem, Property, Rewrite, deprecated, hidden, supported
from calor.resources.context import AttributeContext, Context
from calor.resources.contract import ResourceType
from calor.resources.values import JsonObject, Properties

CLASSES = {
    "lettersdigits": string.ascii_letters + string.digits,
    "letters": string.ascii_letters,
    "lowercase": string.ascii_lowercase,
    "uppercase": string.ascii_uppercase,
    "digits": string.digits,
    "hexdigits": string.digits + "ABCDEF",
    "octdigits": string.octdigits,
}

SEQUENCES = one_of(*CLASSES)

_random = Entropy()


@dataclass(frozen=True, slots=True)
class RoomForAll:
    """The text is long enough for the characters that must occur in it."""

    def problems(self, given: Properties) -> Iterator[Problem]:
        size = given.get("length")
        needed = sum(_least(given.get(name)) for name in ("character_classes", "character_sequences"))
        if isinstance(size, int) and needed > size:
            message = f"length is {size}, but the classes and sequences together require {needed} characters"
            yield Problem("StackValidationFailed", message, ("length",))


def _least(groups: object) -> int:
    minimums = (
        [group.get("min") for group in groups if isinstance(group, dict)] if isinstance(groups, list) else []
    )
    return sum(minimum for minimum in minimums if isinstance(minimum, int))


def _sequence_as_class(data: JsonObject) -> JsonObject:
    """The old way to name a single class of characters."""
    if not data.get("sequence"):
        return data
    others = {name: value for name, value in data.items() if name != "sequence"}
    return {**others, "character_classes": [{"class": data["sequence"], "min": 1}]}


def draw(length: int, wanted: list[tuple[str, int]]) -> str:
    """A random text of characters from several sets, with at least so many from each."""
    drawn = [_random.choice(characters) for characters, least in wanted for _ in range(least)]
    every = sorted({character for characters, _ in wanted for character in characters})
    drawn += [_random.choice(every) for _ in range(length - len(drawn))]
    _random.shuffle(drawn)
    return "".join(drawn)


class RandomString(ResourceType):
    """A random text, generated once and kept: a password, a token, a unique part of a name.

    A reference to the resource returns the text, like its attribute. It stays the same through updates until
    one of the properties changes.
    """

    type_name = "OS::Heat::RandomString"
    support = supported("2014.1")
    secret_reference = True
    adopted_data = ("value",)
    properties = {
        "length": Property(int, "The number of characters.", default=32, constraints=[range_(1, 512)]),
        "sequence": Property(
            str,
            "Draws all characters from this class. Use character_classes instead.",
            constraints=[SEQUENCES],
            support=hidden("5.0.0", deprecated("2014.2")),
        ),
        "character_classes": Property(
            list,
            "The classes of characters to draw from. Give an empty list to use character_sequences alone.",
            default=[{"class": "lettersdigits", "min": 1}],
            items=Property(
                dict,
                fields={
                    "class": Property(
                        str,
                        "Which characters these are, of ASCII only.",
                        default="lettersdigits",
                        constraints=[SEQUENCES],
                    ),
                    "min": Property(
                        int,
                        "At least this many characters of the text are of the class. All minimums together "
                        "must fit into the length.",
                        default=1,
                        constraints=[range_(1, 512)],
                    ),
                },
            ),
        ),
        "character_sequences": Property(
            list,
            "Characters of your own choice to draw from, in addition to the classes: punctuation, for "
            "example.",
            items=Property(
                dict,
                fields={
                    "sequence": Property(str, "The characters, one after the other.", required=True),
                    "min": Property(
                        int,
                        "At least this many characters of the text are from the sequence.",
                        default=1,
                        constraints=[range_(1, 512)],
                    ),
                },
            ),
        ),
        "salt": Property(
            str, "Has no effect on the text, but a change generates a new one: a way to renew a password."
        ),
    }
    attributes = {
        "value": Attribute(
            str, "The text. A reference to the resource returns the same.", live=True, secret=True
        ),
        "show": SHOW,
    }
    translations = [Rewrite(_sequence_as_class)]
    rules = [RoomForAll()]

    @classmethod
    def create(cls, ctx: Context, props: JsonObject) -> None:
        classes = [(CLASSES[each["class"]], each["min"]) for each in props["character_classes"] or ()]
        sequences = [(each["sequence"], each["min"]) for each in props["character_sequences"] or ()]
        value = draw(props["length"], [*classes, *sequences])
        ctx.set_data(value=value)
        ctx.set_reference(value)
        ctx.set_physical_id(ctx.physical_name())

    @classmethod
    def attribute(cls, ctx: AttributeContext, name: str) -> object:
        return ctx.data.get("value") if name == "value" else None
