"""The parameters of a request, as AWS's clients send them: in the query, in a form, or both."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl

from calor.api.cfn.errors import Refused, invalid
from calor.api.web import LARGEST_NUMBER

MOST_FIELDS = 5_000
FORM = "application/x-www-form-urlencoded"
_MEMBER = re.compile(r"(?P<list>[A-Za-z]+)\.member\.(?P<number>\d{1,6})(?:\.(?P<key>[A-Za-z]+))?\Z")


def read_fields(text: str) -> dict[str, str]:
    """The fields of a query or form; of equal names, the last one counts, as for signatures. Raises Refused."""
    try:
        pairs = parse_qsl(text, keep_blank_values=True, errors="replace", max_num_fields=MOST_FIELDS)
    except ValueError:
        message = f"A request may have at most {MOST_FIELDS:,} parameters."
        raise Refused("MalformedQueryString", message) from None
    if any("\0" in name or "\0" in value for name, value in pairs):
        raise Refused("MalformedQueryString", "The parameters have characters that are not allowed.")
    return dict(pairs)


def read_form(body: bytes, content_type: str) -> dict[str, str]:
    """The fields of a body; none unless it is a form. Raises Refused."""
    kind = content_type.partition(";")[0].strip().lower()
    return read_fields(body.decode("utf-8", "replace")) if kind in ("", FORM) else {}


@dataclass(frozen=True, slots=True)
class Parameters:
    """All methods raise Refused if a parameter has an invalid value."""

    values: Mapping[str, str] = field(default_factory=dict)

    def get(self, name: str) -> str | None:
        """A parameter; None if it is missing or empty."""
        return self.values.get(name) or None

    def need(self, name: str) -> str:
        value = self.get(name)
        if value is None:
            raise Refused("MissingParameter", f"The parameter {name} is missing.")
        return value

    def flag(self, name: str) -> bool | None:
        value = self.get(name)
        if value is None:
            return None
        if value.lower() not in ("true", "false"):
            raise invalid(f"{name} must be true or false, not {value!r}.")
        return value.lower() == "true"

    def number(self, name: str) -> int | None:
        """A number of at least 1."""
        value = self.get(name)
        if value is None:
            return None
        if not (value.isascii() and value.isdigit()) or not int(value[:10]):
            raise invalid(f"{name} must be an integer of at least 1, not {value!r}.")
        return min(int(value[:10]), LARGEST_NUMBER)

    def members(self, name: str) -> list[str]:
        """The items of a list of texts: `name.member.1`."""
        return [one[""] for one in self.structures(name) if "" in one]

    def structures(self, name: str) -> list[dict[str, str]]:
        """The items of a list of structures: `name.member.1.Key`. The key of an item that is a text is empty."""
        found: dict[int, dict[str, str]] = {}
        for full, value in self.values.items():
            match = _MEMBER.match(full)
            if match is not None and match["list"] == name:
                found.setdefault(int(match["number"]), {})[match["key"] or ""] = value
        return [found[number] for number in sorted(found)]

    def has(self, name: str) -> bool:
        """Whether there is a parameter or a list of this name."""
        return self.get(name) is not None or any(one.startswith(f"{name}.member.") for one in self.values)
