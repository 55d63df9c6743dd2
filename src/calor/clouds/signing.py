"""EC2 signatures (version 2), and pre-signed URLs."""

from __future__ import annotations

import base64
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal
from urllib.parse import SplitResult, quote, unquote, urlsplit

Purpose = Literal["signal", "waitcondition"]

_VERBS: Mapping[Purpose, str] = {"signal": "POST", "waitcondition": "PUT"}
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class KeyPair:
    access: str
    secret: str = field(repr=False)


def presigned_url(
    base_url: str, arn: str, purpose: Purpose, keys: KeyPair, signed_at: datetime | None = None
) -> str:
    """A URL of the CFN API that signals the resource without further credentials. Without a time, it never expires."""
    base = urlsplit(base_url.rstrip("/"))
    path = f"{base.path}/{purpose}/{quote(arn, safe='')}"
    params = {"AWSAccessKeyId": keys.access, "SignatureMethod": "HmacSHA256", "SignatureVersion": "2"}
    if signed_at:
        params["Timestamp"] = signed_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    # The receiver sees the path unquoted.
    signed = string_to_sign(_VERBS[purpose], _host(base), unquote(path), params)
    query = canonical_query(params) + "&Signature=" + quote(signature(keys.secret, signed), safe="")
    return f"{base.scheme}://{base.netloc}{path}?{query}"


def string_to_sign(verb: str, host: str, path: str, params: Mapping[str, str]) -> str:
    return "\n".join((verb.upper(), host.lower(), path or "/", canonical_query(params)))


def signature(secret: str, signed: str) -> str:
    """The HMAC-SHA256 signature."""
    return base64.b64encode(hmac.digest(secret.encode(), signed.encode(), "sha256")).decode()


def canonical_query(params: Mapping[str, str]) -> str:
    return "&".join(f"{quote(key, safe='')}={quote(params[key], safe='')}" for key in sorted(params))


def _host(url: SplitResult) -> str:
    """The Host header that a client will send: without a default port."""
    host = url.netloc.rpartition("@")[2]
    if url.port == _DEFAULT_PORTS.get(url.scheme):
        host = host.removesuffix(f":{url.port}")
    return host
