"""Temporary URLs of the object store: access to one object with one method, without a token."""

from __future__ import annotations

import hmac
import re
import secrets
from dataclasses import dataclass, field
from urllib.parse import quote, unquote, urlsplit

from calor.clouds.cache import TtlCache
from calor.clouds.errors import CloudError
from calor.clouds.services import Services
from calor.resources.values import JsonObject

FOREVER = 2**31 - 1
"""The latest expiry that every store accepts."""
KEY = "X-Account-Meta-Temp-Url-Key"
REMEMBERED_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class TempUrlKey:
    """The key and digest that sign the temporary URLs of an account."""

    key: str = field(repr=False)
    digest: str


class Signer:
    """Signs URLs with the key of the project's account; creates a key if there is none."""

    def __init__(self) -> None:
        self._known: TtlCache[TempUrlKey] = TtlCache(REMEMBERED_SECONDS)

    def url(self, services: Services, method: str, container: str, name: str) -> str:
        """A URL for a method that never expires. Raises CloudError."""
        key = self._known.get_or_load(services.rights, lambda: _load_key(services))
        address = f"{services.api('object').url}/{quote(container, safe='')}/{quote(name, safe='')}"
        return signed(address, method, key)


def signed(address: str, method: str, key: TempUrlKey, expires: int = FOREVER) -> str:
    # Stores sign the unquoted path.
    text = f"{method}\n{expires}\n{unquote(urlsplit(address).path)}"
    signature = hmac.new(key.key.encode(), text.encode(), key.digest).hexdigest()
    return f"{address}?temp_url_sig={signature}&temp_url_expires={expires}"


def _load_key(services: Services) -> TempUrlKey:
    key = _account_key(services)
    if key is None:
        services.send("object", "POST", headers={KEY: secrets.token_hex(20)})
        # Read it again: another engine may have set one at the same time.
        key = _account_key(services)
    if key is None:
        raise CloudError("The object store does not store a key for temporary URLs.")
    return TempUrlKey(key, digest_of(_info(services)))


def _account_key(services: Services) -> str | None:
    found: str | None = services.send("object", "HEAD").headers.get(KEY)
    return found or None


def _info(services: Services) -> JsonObject | None:
    """The store's /info, if it is available."""
    api = services.api("object")
    root = re.sub(r"/v\d[\d.]*(/.*)?\Z", "", api.url)
    try:
        return type(api)(services.session, root, "object").request("GET", "info")
    except CloudError:
        return None


def digest_of(info: JsonObject | None) -> str:
    """The digest for signatures: old stores only support SHA-1, which current ones reject."""
    if info is None:
        return "sha256"
    allowed = (info.get("tempurl") or {}).get("allowed_digests") or ()
    return "sha256" if "sha256" in allowed else "sha1"
