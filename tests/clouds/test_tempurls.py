"""URLs of the object store that are signed with the account's key."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import pytest

from calor.clouds.services import Services
from calor.clouds.tempurls import FOREVER, KEY, Signer, TempUrlKey, digest_of, signed

ADDRESS = "http://store:8080/v1/AUTH_p1"


@dataclass
class Account:
    """Stands in for the object store: an account with metadata."""

    headers: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    rights: str = "p1"
    session: Any = None

    def api(self, service: str) -> Any:
        return _Api(None, ADDRESS)

    def send(self, service: str, method: str, *path: str, headers: Any = None) -> Any:
        self.asked.append(method)
        self.headers.update(headers or {})
        return SimpleNamespace(headers=self.headers)


class _Api:
    def __init__(self, session: Any, url: str, service: str = "object") -> None:
        self.url = url

    def request(self, method: str, *path: str) -> dict[str, Any]:
        assert (self.url, path) == ("http://store:8080", ("info",))
        return {"tempurl": {"allowed_digests": ["sha256", "sha512"]}}


def url_of(account: Account, signer: Signer | None = None) -> str:
    return (signer or Signer()).url(cast(Services, account), "PUT", "box", "a thing")


def test_the_path_is_signed_unquoted_with_the_key_of_the_account() -> None:
    url = url_of(Account({KEY: "secret"}))

    address, _, query = url.partition("?")
    assert address == f"{ADDRESS}/box/a%20thing"
    text = f"PUT\n{FOREVER}\n/v1/AUTH_p1/box/a thing"
    signature = hmac.new(b"secret", text.encode(), "sha256").hexdigest()
    assert query == f"temp_url_sig={signature}&temp_url_expires={FOREVER}"


def test_an_account_without_a_key_gets_one_that_stays() -> None:
    account = Account()
    first = url_of(account)

    assert url_of(account) == first
    assert account.asked == ["HEAD", "POST", "HEAD", "HEAD"]


def test_the_key_is_cached() -> None:
    account, signer = Account({KEY: "secret"}), Signer()

    assert url_of(account, signer) == url_of(account, signer)
    assert account.asked == ["HEAD"]


@pytest.mark.parametrize(
    ("reported", "digest"),
    [
        ({"tempurl": {"allowed_digests": ["sha1", "sha256"]}}, "sha256"),
        ({"tempurl": {"methods": ["GET"]}}, "sha1"),
        (None, "sha256"),
    ],
)
def test_the_digest_is_one_that_the_store_takes(reported: Any, digest: str) -> None:
    assert digest_of(reported) == digest


def test_different_methods_have_different_signatures() -> None:
    seal = TempUrlKey("secret", "sha256")

    assert signed(f"{ADDRESS}/c/o", "GET", seal) != signed(f"{ADDRESS}/c/o", "PUT", seal)
