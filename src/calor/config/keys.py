"""The formats of the keys that encrypt the database.

Heat's `auth_encryption_key` has 32 characters whose bytes are the key. The key file of a state directory contains
Fernet keys: 44 characters of Base64, which is what `Cipher` takes.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

KEY_LENGTH = 32
_FERNET_LENGTH = 44
_FERNET = re.compile(r"[A-Za-z0-9_-]{43}=")
_DOUBLED = (16, 24)
"""Shorter lengths that Heat still accepts: it repeats such a key."""


class UnusableKey(ValueError):
    """The message describes what is wrong without containing the key."""


def configured_keys(text: str | None) -> tuple[bytes, ...]:
    """The keys of `auth_encryption_key`, separated by commas: the first encrypts, all of them decrypt. If a part is too
    short to be a key, the whole text is one key. Raises UnusableKey."""
    if not text:
        return ()
    parts = [part.strip() for part in text.split(",")]
    if not all(len(part) >= KEY_LENGTH or len(part) in _DOUBLED for part in parts):
        parts = [text]
    return tuple(dict.fromkeys(_heat_form(part) for part in parts))


def parse_key_file(text: str) -> tuple[bytes, ...]:
    """The keys of a file with one key per line, in either format. Unlike in Heat, a line that is too long is an error,
    not truncated. Raises UnusableKey."""
    return tuple(dict.fromkeys(forms[0] for forms in _lines(text, _kept_forms)))


def format_key_file(*keys: bytes) -> str:
    """The contents of a key file."""
    return "".join(f"{key.decode()}\n" for key in keys)


def old_keys(text: str) -> tuple[bytes, ...]:
    """All keys that the lines of a file of old keys can mean: Heat would have truncated a Fernet key to 32 characters.
    Use them only to decrypt. Raises UnusableKey."""
    return tuple(dict.fromkeys(form for forms in _lines(text, _forms) for form in forms))


def _lines(text: str, forms_of: Callable[[str], Iterable[bytes]]) -> Iterator[tuple[bytes, ...]]:
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        if not line:
            continue
        if _has_several(line):
            raise UnusableKey(f"line {number} has more than one key; put each on its own line")
        forms = tuple(forms_of(line))
        if not forms:
            raise UnusableKey(
                f"line {number} is not a key: it has {len(line)} characters; a key has {_FERNET_LENGTH} characters "
                f"of Base64, or {KEY_LENGTH} characters of any kind"
            )
        yield forms


def _has_several(line: str) -> bool:
    parts = re.split(r"[\s,;]+", line)
    are_keys = len(parts) > 1 and all(any(_forms(part)) for part in parts)
    return are_keys or (len(line) > _FERNET_LENGTH and _FERNET.search(line) is not None)


def _kept_forms(line: str) -> Iterator[bytes]:
    is_short = len(line.encode()) in (*_DOUBLED, KEY_LENGTH)
    return _forms(line) if is_short or _FERNET.fullmatch(line) else iter(())


def _forms(line: str) -> Iterator[bytes]:
    if _FERNET.fullmatch(line):
        yield line.encode()
    with suppress(UnusableKey):
        yield _heat_form(line)


def _heat_form(text: str) -> bytes:
    """The Fernet form of one of Heat's keys: truncated to 32 characters."""
    raw = text.encode()
    if len(raw) in _DOUBLED:
        raw *= 2
    if len(raw) < KEY_LENGTH:
        raise UnusableKey(f"a key has {len(raw)} characters; it needs {KEY_LENGTH}")
    return base64.urlsafe_b64encode(raw[:KEY_LENGTH])
