"""Readers of the volume service."""

from __future__ import annotations

from collections.abc import Mapping

from calor.localcloud.problems import BadRequest
from calor.localcloud.requests import Reader, mapping, nullable, shape, text
from calor.localcloud.types import Json
from calor.localcloud.web import Call

display_text = nullable(text(255))

NAMES: Mapping[str, Reader[object]] = {
    "name": display_text,
    "description": display_text,
    "display_name": display_text,
    "display_description": display_text,
}


def read_names(given: Mapping[str, object]) -> Json:
    """Name and description, also as display_name and display_description."""
    found = {}
    for name in ("name", "description"):
        for written in (f"display_{name}", name):
            if written in given:
                found[name] = given[written]
    return found


def strict(
    required: Mapping[str, Reader[object]] | None = None, optional: Mapping[str, Reader[object]] | None = None
) -> Reader[Json]:
    """An object with these members and no others."""
    known = {**(required or {}), **(optional or {})}
    read_known = shape(required, optional)

    def read(value: object, where: str) -> Json:
        for member in mapping(value, where):
            if member not in known:
                raise BadRequest(
                    f"Invalid input for {where}: Additional properties are not allowed"
                    f" ('{member[:255]}' was unexpected)"
                )
        found: Json = read_known(value, where)
        return found

    return read


def flag(value: object, where: str) -> bool:
    """A boolean, which may be given as a string."""
    if isinstance(value, str) and value.lower() in ("true", "1", "yes", "on", "t", "y"):
        return True
    if isinstance(value, str) and value.lower() in ("false", "0", "no", "off", "f", "n"):
        return False
    if not isinstance(value, bool):
        raise BadRequest(f"Invalid input for field {where}: it must be true or false.")
    return value


def amount(least: int = 0) -> Reader[int]:
    """A whole number, which may be given as a string."""

    def read(value: object, where: str) -> int:
        if isinstance(value, str) and value.removeprefix("-").isdecimal() and len(value) < 12:
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= 2**31 - 1:
            raise BadRequest(
                f"Invalid input for field {where}: it must be a whole number of at least {least}."
            )
        return value

    return read


def texts(value: object, where: str) -> dict[str, str]:
    """Metadata: strings of at most 255 characters."""
    read = {}
    for name, content in mapping(value, where).items():
        if not 1 <= len(name) <= 255:
            raise BadRequest(f"Invalid input for field {where}: names have 1 to 255 characters.")
        read[name] = text(255)(content, f"{where}.{name}")
    return read


def read_action(call: Call) -> tuple[str, object]:
    """The only member of the body: the action and its parameters."""
    body = call.read(mapping)
    if len(body) != 1:
        raise BadRequest("The body must have one member, the action.")
    [(name, value)] = body.items()
    return name, value
