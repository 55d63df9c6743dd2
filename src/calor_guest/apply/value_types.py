"""The types that the value of a key may be required to have."""

import re

from calor_guest.apply.errors import ApplyError

_DEVICE = r"r\d+z\d+-[A-Za-z0-9.-_]+:%PORT%/[^,]+"
TYPES = {
    "int": r"[0-9]+",
    "default": r"[A-Za-z0-9_]*",
    "netaddress": r"[A-Za-z0-9/.:-]*",
    "netdevice": r"[A-Za-z0-9/.:-]*",
    "dsn": (
        r"[a-zA-Z0-9]+://"
        r"([a-zA-Z0-9+_-]+(:[^@]+)?)?"  # user and password
        r"(@?[a-zA-Z0-9/_.-]+)?"  # host, or file
        r"(/[a-zA-Z0-9_-]+)?"  # database
        r"(\?[a-zA-Z0-9=_-]+)?"
    ),
    "swiftdevices": f"{_DEVICE}(,{_DEVICE})*,?",
    "username": r"[A-Za-z0-9_-]+",
    "raw": r"(?s:.*)",
}


def check(text: str, name: str) -> str:
    """The text itself. Raises ApplyError if it is not of this type, and ValueError if there is no such type."""
    if name not in TYPES:
        raise ValueError(f"type {name} does not exist; types are {', '.join(sorted(TYPES))}")
    if not re.fullmatch(TYPES[name], text):
        raise ApplyError(f"cannot interpret value '{text}' as type {name}")
    return text
