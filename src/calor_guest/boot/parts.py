"""Splits user data into its parts: multipart messages, compression and base64 are unpacked."""

from __future__ import annotations

import zlib
from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_bytes
from email.message import Message

MAX_BYTES = 8 << 20
"""The limit for all parts together, unpacked."""

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


_MOST_BOUNDARIES = 10_000


class TooLarge(ValueError):
    """User data that is too large when it is unpacked."""

    def __init__(self, most: int) -> None:
        super().__init__(f"the user data is larger than {most >> 20} MiB when it is unpacked")


class TooManyParts(TooLarge):
    def __init__(self) -> None:
        ValueError.__init__(self, "the user data has too many parts")


@dataclass(frozen=True)
class Part:
    kind: str
    name: str
    body: bytes


def parts_of(user_data: bytes, most: int = MAX_BYTES) -> list[Part]:
    """The parts in order; those without a name get a number. Raises TooLarge."""
    found: list[Part] = []
    room = most
    for number, (kind, name, body) in enumerate(_taken_apart(user_data, most), 1):
        room -= len(body)
        if room < 0:
            raise TooLarge(most)
        found.append(Part(kind, name or f"part-{number:03}", body))
    return found


def _taken_apart(data: bytes, most: int) -> Iterator[tuple[str, str, bytes]]:
    data = _unpack(data, most)
    if not data.strip():
        return
    kind = _kind_by_content(data)
    if kind is None and _is_mime(data):
        # The parser is slow for many possible boundaries.
        if data.count(b"\n--") > _MOST_BOUNDARIES:
            raise TooManyParts
        yield from _of_message(message_from_bytes(data), most)
    else:
        yield kind or PLAIN, "", data


def _of_message(message: Message, most: int) -> Iterator[tuple[str, str, bytes]]:
    for one in message.walk():
        if one.is_multipart():
            continue
        body = one.get_payload(decode=True)
        if not isinstance(body, bytes):
            continue
        body = _unpack(body, most)
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


def _unpack(data: bytes, most: int) -> bytes:
    """Unpacks data that may be compressed, and in base64. Raises TooLarge."""
    for _ in range(3):
        if data[:2] == b"\x1f\x8b":
            try:
                data = zlib.decompressobj(31).decompress(data, most + 1)
            except zlib.error:
                return data
            if len(data) > most:
                raise TooLarge(most)
        elif data[:4] == b"H4sI":
            try:
                data = b64decode(b"".join(data.split()), validate=True)
            except NotBase64:
                return data
        else:
            break
    return data


def _clean(name: str) -> str:
    """A name that is not a path."""
    return "".join(
        letter if letter.isalnum() or letter in "._-" else "_" for letter in name.rpartition("/")[2]
    )
