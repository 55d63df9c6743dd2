"""Which texts are cron expressions, in the dialect of Heat and Mistral.

There are five fields, and then optionally seconds and years. Beyond the classic syntax, ranges wrap around
(`fri-mon`), `l` is the last day of the month, `15w` the weekday nearest to the 15th, `tue#2` the second
Tuesday of the month, `l5` its last Friday, and `r` is chosen at random.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

NICKNAMES = {"@midnight", "@hourly", "@daily", "@weekly", "@monthly", "@yearly", "@annually"}


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    low: int
    high: int
    names: tuple[str, ...] = ()
    """Words for the values from `low` on."""


DAY = Field("day of the month", 1, 31)
WEEKDAY = Field("day of the week", 0, 6, ("sun", "mon", "tue", "wed", "thu", "fri", "sat"))
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
FIELDS = (
    Field("minute", 0, 59),
    Field("hour", 0, 23),
    DAY,
    Field("month", 1, 12, MONTHS),
    WEEKDAY,
    Field("second", 0, 59),
    Field("year", 1970, 2099),
)

# Some values have a second name, but only in expressions of so many fields.
ALIASES = {(WEEKDAY, 5): {7: 0}, (DAY, 6): {0: 1}}

_RANGE = re.compile(r"(?P<first>[^-/]+)(-(?P<last>[^-/]+))?(/(?P<step>\d+))?")
_RANDOM = re.compile(r"r(\((?P<first>\d+)-(?P<last>\d+)\))?(/(?P<step>\d+))?")
_NEAREST_WEEKDAY = re.compile(r"(\d+)w|w(\d+)")
_NTH_WEEKDAY = re.compile(r"(?P<days>\w+|[a-z]+-[a-z]+)#0*[1-5]|l(?P<last>\d+)")


def problem(text: str) -> str | None:
    """What is wrong with the expression, or None."""
    expression = text.lower()
    if expression in NICKNAMES:
        return None
    parts = expression.split()
    if len(parts) not in (5, 6, 7):
        return f"a cron expression has 5, 6 or 7 fields, not {len(parts)}"
    for field, part in zip(FIELDS, parts, strict=False):
        if not _fits(field, part, ALIASES.get((field, len(parts)), {})):
            return f"{part!r} does not fit the {field.name}"
    return None


def _fits(field: Field, part: str, aliases: dict[int, int]) -> bool:
    if part == "?":
        return field in (DAY, WEEKDAY)
    if random := _RANDOM.fullmatch(part):
        first, last = int(random["first"] or field.low), int(random["last"] or field.high)
        return field.low <= first < last <= field.high and int(random["step"] or 1) > 0
    if field is DAY and (nearest := _NEAREST_WEEKDAY.fullmatch(part)):
        return field.low <= int(nearest[1] or nearest[2]) <= field.high
    plain: set[int] = set()
    nth: set[int] = set()
    for item in part.split(","):
        if field is DAY and item == "l":
            continue
        of_month = _NTH_WEEKDAY.fullmatch(item) if field is WEEKDAY else None
        days = item if of_month is None else of_month["days"] or of_month["last"]
        values = _values(field, days, aliases)
        if not values:
            return False
        (plain if of_month is None else nth).update(values)
    # Some weekdays always and others once a month cannot be combined.
    return not nth or plain <= nth or len(plain | nth) == len(field.names)


def _values(field: Field, item: str, aliases: dict[int, int]) -> set[int]:
    """The values of a number, a name or a range; empty if it is invalid."""
    words = _RANGE.fullmatch(f"{field.low}-{field.high}{item[1:]}" if item.startswith("*") else item)
    if words is None:
        return set()
    first = _number(field, words["first"], aliases)
    open_end = words["last"] is None or (field is DAY and words["last"] == "l")
    last = field.high if open_end else _number(field, words["last"], aliases)
    step = int(words["step"] or 1)
    if first is None or last is None or max(first, last) > field.high or step == 0:
        return set()
    if words["last"] is None and words["step"] is None:
        return {first} if first >= field.low else set()
    size = field.high - field.low + 1
    if first == last:
        return set(range(field.low, field.high + 1, step))
    if first < field.low:
        return set()
    end = last if first < last else max(last + size, field.high)
    return {(value - field.low) % size + field.low for value in range(first, end + 1, step)}


def _number(field: Field, word: str, aliases: dict[int, int]) -> int | None:
    if word in field.names:
        return field.names.index(word) + field.low
    return aliases.get(int(word), int(word)) if word.isdecimal() else None
