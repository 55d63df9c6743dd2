"""User data taken apart: what it consists of, whatever it is wrapped in."""

from __future__ import annotations

import zlib
from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_bytes
from email.message import Message

MOST_BYTES = 8 << 20
"""Of all parts together, unpacked."""

SCRIPT = "text/x-shellscript"
CONFIG = "text/cloud-config"
BOOTHOOK = "text/cloud-boothook"
INCLUDE = "text/x-include-url"
INCLUDE_ONCE = "text/x-include-once-url"
HANDLER = "text/part-handler"
INIT_DATA = "text/x-cfninitdata"
PLAIN = "text/plain"

_BEGINNINGS = (
    (b"#!", SCRIPT),
    (b"#cloud-config-archive", "text/cloud-config-archive"),
    (b"#cloud-config", CONFIG),
    (b"#cloud-boothook", BOOTHOOK),
    (b"#include-once", INCLUDE_ONCE),
    (b"#include", INCLUDE),
    (b"#part-handler", HANDLER),
    (b"## template: jinja", "text/jinja2"),
)
_BY_CONTENT = frozenset({PLAIN, "text/x-not-multipart", "application/octet-stream"})


class TooLarge(ValueError):
    """User data that is small as it comes, and large once it is unpacked."""

    def __init__(self) -> None:
        super().__init__(f"the user data is larger than {MOST_BYTES >> 20} MiB when it is unpacked")


@dataclass(frozen=True)
class Part:
    kind: str
    name: str
    body: bytes


def parts_of(user_data: bytes) -> list[Part]:
    """In their order; those without a name get one that tells their place. Raises TooLarge."""
    found: list[Part] = []
    room = MOST_BYTES
    for number, (kind, name, body) in enumerate(_taken_apart(user_data), 1):
        room -= len(body)
        if room < 0:
            raise TooLarge
        found.append(Part(kind, name or f"part-{number:03}", body))
    return found


def _taken_apart(data: bytes) -> Iterator[tuple[str, str, bytes]]:
    data = _unpacked(data)
    if not data.strip():
        return
    kind = _kind_by_content(data)
    if kind is None and _is_mime(data):
        yield from _of_message(message_from_bytes(data))
    else:
        yield kind or PLAIN, "", data


def _of_message(message: Message) -> Iterator[tuple[str, str, bytes]]:
    for one in message.walk():
        if one.is_multipart():
            continue
        body = one.get_payload(decode=True)
        if not isinstance(body, bytes):
            continue
        body = _unpacked(body)
        kind = one.get_content_type()
        if kind in _BY_CONTENT or kind.startswith("application/"):
            kind = _kind_by_content(body) or kind
        yield kind, _clean(one.get_filename() or ""), body


def _kind_by_content(data: bytes) -> str | None:
    beginning = data.lstrip(b"\xef\xbb\xbf \t\r\n")[:64].lower()
    return next((kind for mark, kind in _BEGINNINGS if beginning.startswith(mark)), None)


def _is_mime(data: bytes) -> bool:
    head = data[:4096].lower()
    return b"content-type:" in head and (b"mime-version:" in head or head.startswith(b"content-type:"))


def _unpacked(data: bytes) -> bytes:
    """Data that may have been packed, or written in base 64 to be packed. Raises TooLarge."""
    for _ in range(3):
        if data[:2] == b"\x1f\x8b":
            try:
                data = zlib.decompressobj(31).decompress(data, MOST_BYTES + 1)
            except zlib.error:
                return data
            if len(data) > MOST_BYTES:
                raise TooLarge
        elif data[:4] == b"H4sI":
            try:
                data = b64decode(b"".join(data.split()), validate=True)
            except NotBase64:
                return data
        else:
            break
    return data


def _clean(name: str) -> str:
    """A name that is no path."""
    return "".join(
        letter if letter.isalnum() or letter in "._-" else "_" for letter in name.rpartition("/")[2]
    )
