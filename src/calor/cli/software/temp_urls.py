"""Temporary URLs of the object store. Anyone with the URL can write to the object until it expires."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
import uuid
from urllib.parse import quote, urlsplit

from calor.cli.api.client import Heat
from calor.cli.errors import CommandError

_KEY = "x-account-meta-temp-url-key"


def signal_url(heat: Heat, container: str | None, name: str, minutes: int) -> str:
    """Creates an empty object and a URL for overwriting it; the service reads the result of a server from it."""
    try:
        store = heat.service_url("object-store")
    except CommandError as error:
        raise CommandError(error.message, "--signal-transport NO_SIGNAL needs no object store") from None
    key = _account_key(heat, store)
    address = f"{store}/{quote(container or f'{name}-{uuid.uuid4()}', safe='')}"
    _send(heat, "PUT", address)
    address = f"{address}/{uuid.uuid4()}"
    _send(heat, "PUT", address)
    path = urlsplit(address).path
    expires = int(time.time()) + minutes * 60
    signature = hmac.new(key.encode(), f"PUT\n{expires}\n{path}".encode(), hashlib.sha256).hexdigest()
    return f"{address}?temp_url_sig={signature}&temp_url_expires={expires}"


def _account_key(heat: Heat, store: str) -> str:
    known = _send(heat, "HEAD", store).get(_KEY)
    if known:
        return known
    made = secrets.token_hex(20)
    _send(heat, "POST", store, {_KEY: made})
    return made


def _send(heat: Heat, method: str, url: str, headers: dict[str, str] | None = None) -> dict[str, str]:
    answer = heat.http.send(method, url, {**heat.headers(), "Content-Length": "0", **(headers or {})})
    if answer.status >= 300:
        raise CommandError(f"the object store responds with {answer.status} to {method} {url}")
    return dict(answer.headers)
