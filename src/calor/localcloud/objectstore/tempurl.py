"""Temporary URLs: signed access to one object without a token."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from calor.localcloud.web import Call

DIGESTS = ("sha1", "sha256", "sha512")
METHODS = ("HEAD", "GET", "PUT", "POST", "DELETE")
ROOT = "/object-store"
"""The path of the service in the catalog; it is also at the root of the cloud."""
# A signature for GET, PUT or POST is also valid for HEAD.
_IMPLIED = {"HEAD": ("HEAD", "GET", "PUT", "POST")}
_DIGEST_BY_LENGTH = {hashlib.new(name).digest_size: name for name in DIGESTS}


@dataclass(frozen=True)
class Signature:
    digest: str
    value: bytes
    expires: int
    prefix: str | None


def signature_of(call: Call) -> Signature | None:
    """Parses the query; None if it is incomplete or invalid."""
    written, expires = call.query.get("temp_url_sig"), call.query.get("temp_url_expires")
    if not written or not expires:
        return None
    moment, decoded = _moment(expires), _decode_signature(written)
    if moment is None or decoded is None:
        return None
    return Signature(*decoded, moment, call.query.get("temp_url_prefix"))


def is_valid(signature: Signature, call: Call, keys: Iterable[str], now: float) -> bool:
    """Whether one of the keys has signed what the request wants."""
    if signature.expires <= now or call.method not in METHODS:
        return False
    if signature.prefix is not None and not call.path["thing"].startswith(signature.prefix):
        return False
    signed = [
        f"{method}\n{signature.expires}\n{path}".encode()
        for method in _IMPLIED.get(call.method, (call.method,))
        for path in _paths(call, signature.prefix)
    ]
    return any(
        hmac.compare_digest(hmac.new(key.encode(), text, signature.digest).digest(), signature.value)
        for key in keys
        for text in signed
    )


def signing_keys(metadata: Mapping[str, str]) -> list[str]:
    return [metadata[name] for name in ("temp-url-key", "temp-url-key-2") if metadata.get(name)]


def _paths(call: Call, prefix: str | None) -> list[str]:
    """The path as the service knows it, and as clients see it who take it from the catalog's URL: either is good at
    both addresses of the service."""
    account, container, thing = (call.path[name] for name in ("account", "container", "thing"))
    inner = f"/v1/{account}/{container}/{thing if prefix is None else prefix}"
    return [f"prefix:{path}" if prefix is not None else path for path in (inner, f"{ROOT}{inner}")]


def _moment(written: str) -> int | None:
    if written.isdecimal() and len(written) < 16:
        return int(written)
    for form in ("%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d"):
        try:
            return int(datetime.strptime(written, form).replace(tzinfo=UTC).timestamp())
        except ValueError:
            continue
    return None


def _decode_signature(written: str) -> tuple[str, bytes] | None:
    """The digest and the signature: as hexadecimal digits, or in base 64 after the name of the digest."""
    name, colon, rest = written.partition(":")
    try:
        if colon:
            return (
                (name, base64.urlsafe_b64decode(rest + "=" * (-len(rest) % 4))) if name in DIGESTS else None
            )
        value = bytes.fromhex(written)
    except (ValueError, binascii.Error):
        return None
    found = _DIGEST_BY_LENGTH.get(len(value))
    return (found, value) if found else None
