"""Verifies EC2 signatures of requests, versions 0, 1, 2 and 4.

Pure functions, without access to credentials or the time.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import quote

_EMPTY_HASH = hashlib.sha256(b"").hexdigest()
_ALGORITHM = "AWS4-HMAC-SHA256"


@dataclass(frozen=True)
class SignedRequest:
    """A signed request, as the service received it."""

    signature: str
    verb: str
    host: str
    path: str
    params: Mapping[str, str]
    headers: Mapping[str, str]
    body_hash: str = _EMPTY_HASH

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers.items() if key.lower() == name), None)


def is_genuine(request: SignedRequest, secret: str) -> bool:
    """Whether the signature was made with the secret. Some clients sign the host with the port and some without."""
    candidates = (
        signature for host in _hosts(request.host) for signature in _signatures(request, secret, host)
    )
    return any(hmac.compare_digest(each.encode(), request.signature.encode()) for each in candidates)


def signed_at(request: SignedRequest) -> datetime | None:
    """The time of the signature, if the request has one. Raises ValueError if it is invalid."""
    for written in (
        request.params.get("Timestamp"),
        request.params.get("X-Amz-Date"),
        request.header("x-amz-date"),
    ):
        if written:
            moment = _read_time(written)
            if moment is None:
                raise ValueError(f"{written[:64]!r} is not a time.")
            return moment
    # Unsigned headers: invalid ones are ignored.
    return _read_time(request.header("date") or "")


def _read_time(written: str) -> datetime | None:
    for form in ("%Y%m%dT%H%M%SZ", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S", "%a, %d %b %Y %H:%M:%S GMT"):
        try:
            return datetime.strptime(written, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    try:
        read = datetime.fromisoformat(written)
        return (read if read.tzinfo else read.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _hosts(host: str) -> tuple[str, ...]:
    bare, separator, port = host.rpartition(":")
    return (host, bare) if separator and port.isdecimal() else (host,)


def _signatures(request: SignedRequest, secret: str, host: str) -> Iterator[str]:
    version = request.params.get("SignatureVersion")
    if version == "0":
        yield _version_0(request, secret)
    elif version == "1":
        yield _version_1(request, secret)
    elif version == "2":
        yield _version_2(request, secret, host)
    elif credential := _credential_scope(request):
        # Keystone takes the path as the service that asks has written it; AWS's clients quote it.
        path = request.path or "/"
        for canonical in dict.fromkeys((quote(path, safe="/-_.~"), path)):
            yield _version_4(request, secret, host, credential, canonical)


def _version_0(request: SignedRequest, secret: str) -> str:
    params = request.params
    return _mac(secret, params.get("Action", "") + params.get("Timestamp", ""), "sha1")


def _version_1(request: SignedRequest, secret: str) -> str:
    pairs = sorted(request.params.items(), key=lambda pair: pair[0].lower())
    return _mac(secret, "".join(key + value for key, value in pairs), _digest(request, "HmacSHA1"))


def _version_2(request: SignedRequest, secret: str, host: str) -> str:
    signed = "\n".join((request.verb.upper(), host.lower(), request.path or "/", _query(request.params)))
    return _mac(secret, signed, _digest(request, "HmacSHA256"))


def _digest(request: SignedRequest, default: str) -> str:
    return "sha1" if request.params.get("SignatureMethod", default) == "HmacSHA1" else "sha256"


def _mac(secret: str, signed: str, digest: str) -> str:
    return base64.b64encode(hmac.digest(secret.encode(), signed.encode(), digest)).decode()


def _version_4(request: SignedRequest, secret: str, host: str, credential: str, path: str) -> str:
    _, _, scope = credential.partition("/")
    signed_headers = _signed_headers(request)
    canonical = "\n".join(
        (
            request.verb.upper(),
            path,
            _query({key: value for key, value in request.params.items() if key != "X-Amz-Signature"}),
            "".join(f"{name}:{_header_value(request, name, host)}\n" for name in signed_headers),
            ";".join(signed_headers),
            request.body_hash,
        )
    )
    date = request.params.get("X-Amz-Date") or request.header("x-amz-date") or ""
    to_sign = "\n".join((_ALGORITHM, date, scope, hashlib.sha256(canonical.encode()).hexdigest()))
    key = f"AWS4{secret}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    return hmac.digest(key, to_sign.encode(), "sha256").hex()


def _header_value(request: SignedRequest, name: str, host: str) -> str:
    value = host if name == "host" else request.header(name) or ""
    return " ".join(value.split())


def _signed_headers(request: SignedRequest) -> list[str]:
    written = request.params.get("X-Amz-SignedHeaders") or _authorization(request).get("SignedHeaders", "")
    return [name.lower() for name in written.split(";") if name]


def _credential_scope(request: SignedRequest) -> str | None:
    return request.params.get("X-Amz-Credential") or _authorization(request).get("Credential")


def _authorization(request: SignedRequest) -> dict[str, str]:
    """The parts of a version 4 Authorization header."""
    kind, _, rest = (request.header("authorization") or "").partition(" ")
    if kind != _ALGORITHM:
        return {}
    parts = (part.strip().partition("=") for part in rest.split(","))
    return {key: value for key, _, value in parts}


def _query(params: Mapping[str, str]) -> str:
    encoded = sorted((quote(key, safe="-_.~"), quote(value, safe="-_.~")) for key, value in params.items())
    return "&".join(f"{key}={value}" for key, value in encoded)
