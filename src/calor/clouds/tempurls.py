"""URLs of the object store at which whoever knows them can do one thing with one object, without a token."""

from __future__ import annotations

import hmac
import re
import secrets
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from calor.clouds.errors import CloudError
from calor.clouds.memory import Memory
from calor.clouds.services import Services

FOREVER = 2**31 - 1
"""The latest moment that every store understands."""
KEY = "X-Account-Meta-Temp-Url-Key"
REMEMBERED_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Seal:
    """What the URLs of an account are signed with."""

    key: str = field(repr=False)
    digest: str


class Signer:
    """Signs URLs with the key of the project's account. An account without a key is given one."""

    def __init__(self) -> None:
        self._known: Memory[Seal] = Memory(REMEMBERED_SECONDS)

    def url(self, services: Services, method: str, container: str, name: str) -> str:
        """A URL for a method that does not end. Raises CloudError."""
        seal = self._known.recall(services.rights, lambda: _seal(services))
        address = f"{services.api('object').url}/{quote(container, safe='')}/{quote(name, safe='')}"
        return signed(address, method, seal)


def signed(address: str, method: str, seal: Seal, expires: int = FOREVER) -> str:
    # Stores sign the path as they know it, without quotes.
    text = f"{method}\n{expires}\n{unquote(urlsplit(address).path)}"
    signature = hmac.new(seal.key.encode(), text.encode(), seal.digest).hexdigest()
    return f"{address}?temp_url_sig={signature}&temp_url_expires={expires}"


def _seal(services: Services) -> Seal:
    key = _account_key(services)
    if key is None:
        services.send("object", "POST", headers={KEY: secrets.token_hex(20)})
        # Another engine may have set one meanwhile: what is there in the end counts.
        key = _account_key(services)
    if key is None:
        raise CloudError("The object store keeps no key for temporary URLs.")
    return Seal(key, digest_of(_told(services)))


def _account_key(services: Services) -> str | None:
    found: str | None = services.send("object", "HEAD").headers.get(KEY)
    return found or None


def _told(services: Services) -> Any:
    """What the store says of itself, if it does."""
    api = services.api("object")
    root = re.sub(r"/v\d[\d.]*(/.*)?\Z", "", api.url)
    try:
        return type(api)(services.session, root, "object").ask("GET", "info")
    except CloudError:
        return None


def digest_of(told: Any) -> str:
    """The digest for signatures: stores of old know only SHA-1, which those of today refuse."""
    if not isinstance(told, dict):
        return "sha256"
    allowed = (told.get("tempurl") or {}).get("allowed_digests") or ()
    return "sha256" if "sha256" in allowed else "sha1"
