"""The keys that encrypt the database, in the forms in which operators have them.

Heat's `auth_encryption_key` is a text of 32 characters whose bytes are the key. The key file of a state directory has
Fernet's form: 44 characters of Base64. A `Cipher` takes the latter.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import suppress

KEY_LENGTH = 32
_DOUBLED = (16, 24)
"""Lengths that Heat still accepts: such a key is repeated until it is long enough."""


class UnusableKey(ValueError):
    """The message says what is wrong with a key, not the key."""


def configured_keys(text: str | None) -> tuple[bytes, ...]:
    """The keys of `auth_encryption_key`, separated by commas: the first encrypts, all of them decrypt. A key may itself
    have commas where the parts are too short to be keys. Raises UnusableKey."""
    if not text:
        return ()
    parts = [part.strip() for part in text.split(",")]
    if not all(len(part) >= KEY_LENGTH or len(part) in _DOUBLED for part in parts):
        parts = [text]
    return tuple(dict.fromkeys(_heat_form(part) for part in parts))


def kept_keys(text: str) -> tuple[bytes, ...]:
    """The keys of a file with one key per line, in either form. Raises UnusableKey."""
    return tuple(dict.fromkeys(forms[0] for forms in _lines(text)))


def old_keys(text: str) -> tuple[bytes, ...]:
    """All keys that the lines of such a file can mean: a Fernet key is also a text that Heat would have cut to 32
    characters. They are only used to decrypt. Raises UnusableKey."""
    return tuple(dict.fromkeys(form for forms in _lines(text) for form in forms))


def _lines(text: str) -> Iterator[tuple[bytes, ...]]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        forms = tuple(_forms(line.strip()))
        if not forms:
            raise UnusableKey(f"line {number} is not a key: it has {len(line.strip())} characters")
        yield forms


def _forms(line: str) -> Iterator[bytes]:
    with suppress(ValueError):
        if len(base64.urlsafe_b64decode(line.encode())) == KEY_LENGTH:
            yield line.encode()
    with suppress(UnusableKey):
        yield _heat_form(line)


def _heat_form(text: str) -> bytes:
    """Fernet's form of a key as Heat makes it: what is longer than 32 characters is cut."""
    raw = text.encode()
    if len(raw) in _DOUBLED:
        raw *= 2
    if len(raw) < KEY_LENGTH:
        raise UnusableKey(f"a key has {len(raw)} characters; it needs {KEY_LENGTH}")
    return base64.urlsafe_b64encode(raw[:KEY_LENGTH])
