"""Pages that show estimates. The URL of a page contains the estimate, encrypted: nothing is stored, and nobody else can
write such a page."""

from __future__ import annotations

import json
import zlib
from dataclasses import asdict, dataclass, field
from html import escape

from starlette.responses import HTMLResponse, PlainTextResponse, Response

from calor.service.estimates import HOURS, OTHERS, Estimate, EstimateLine
from calor.store.cipher import Cipher, WrongKey

PATH = "/v1/estimate"
FIELD = "of"
LARGEST = 100_000
"""The largest estimate, in bytes."""
_HEADERS = {
    "Cache-Control": "private, no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_STYLE = "body{font-family:sans-serif;margin:2em}td,th{padding:.2em 1em;text-align:right}"
_STYLE += "td:first-child,th:first-child{text-align:left}"


def _new_cipher() -> Cipher:
    return Cipher(Cipher.new_key())


@dataclass(frozen=True, slots=True)
class EstimatePages:
    cipher: Cipher = field(default_factory=_new_cipher)

    def url(self, base: str, estimate: Estimate) -> str:
        sealed = self.cipher.seal(zlib.compress(json.dumps(asdict(estimate)).encode()))
        # Fernet's Base64 is safe in URLs but for the padding.
        return f"{base}{PATH}?{FIELD}={sealed.decode().rstrip('=')}"

    def response(self, token: str) -> Response:
        """The page for a token."""
        estimate = self._opened(token)
        if estimate is None:
            return PlainTextResponse("There is no such estimate.", 404, _HEADERS)
        return HTMLResponse(_page(estimate), headers=_HEADERS)

    def _opened(self, token: str) -> Estimate | None:
        if not token.isascii():
            return None
        try:
            packed = self.cipher.open(token + "=" * (-len(token) % 4))
            found = json.loads(zlib.decompressobj().decompress(packed, LARGEST))
            lines = tuple(EstimateLine(**line) for line in found.pop("lines"))
        except (WrongKey, zlib.error, ValueError, TypeError, AttributeError, KeyError):
            # The same key encrypts other data.
            return None
        return Estimate(lines=lines, **found)


def _page(estimate: Estimate) -> str:
    rows = "".join(
        f"<tr><td>{escape(_name(line))}</td><td>{escape(_amount(line))}</td><td>{line.monthly:,.2f}</td></tr>"
        for line in estimate.lines
    )
    currency = f" ({escape(estimate.currency)})" if estimate.currency else ""
    about = (
        f"For {HOURS} hours, by the prices that the operator of this service has set. Traffic, and volumes that "
        "servers create for themselves, are not included."
        if estimate.priced
        else "The operator of this service has not set any prices."
    )
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Monthly estimate</title>'
        f"<style>{_STYLE}</style></head><body><h1>Monthly estimate</h1><p>{about}</p>"
        f"<table><tr><th>Resource</th><th>Amount</th><th>Per month{currency}</th></tr>{rows}"
        f"<tr><th>Total</th><th></th><th>{estimate.monthly:,.2f}</th></tr></table></body></html>"
    )


def _name(line: EstimateLine) -> str:
    return f"{line.kind} {line.name}".rstrip()


def _amount(line: EstimateLine) -> str:
    number = f"{line.amount:,g}"
    return f"{number} {line.unit}" if line.unit else number if line.kind != OTHERS else f"{number} lines"
