"""The times until which clients want their signatures to be valid.

How old a signature may be is up to the identity service, which looks at its Timestamp or date, but not at these.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from calor.api.cfn.errors import Refused, invalid
from calor.clouds.ec2 import ReceivedRequest, is_version_4

_DATES = ("Timestamp", "Expires", "X-Amz-Date")
_COMPACT = "%Y%m%dT%H%M%SZ"
_READ_BY_AGENTS = "DescribeStackResource"
LONGEST = 604_800
"""How many seconds a request of version 4 may be valid for."""


def check_current(request: ReceivedRequest, now: datetime) -> None:
    """Raises Refused if the request was to be valid until a time that is over."""
    params = request.params
    expires = params.get("Expires")
    if expires and _moment(expires) <= now:
        raise Refused("RequestExpired", "The request has expired.")
    seconds, signed = params.get("X-Amz-Expires"), params.get("X-Amz-Date")
    if seconds is None:
        return
    if not (seconds.isascii() and seconds.isdigit()) or not 0 < int(seconds[:7]) <= LONGEST:
        raise invalid(f"X-Amz-Expires must be a number of seconds from 1 to {LONGEST}.")
    if signed and _moment(signed) + timedelta(seconds=int(seconds)) <= now:
        raise Refused("RequestExpired", "The request has expired.")


def check_dated(request: ReceivedRequest) -> None:
    """Raises Refused if the signature has no time at all and so could be replayed for ever. os-collect-config signs
    without a time what it reads, in version 2, which covers all parameters: then a replay reads the same."""
    params = request.params
    if params.get("Action") == _READ_BY_AGENTS and params.get("SignatureVersion") == "2":
        return
    dates = {name for name in _DATES if params.get(name)}
    if is_version_4(request):
        # Other versions do not cover headers: a recorded request could be sent with another one.
        dates |= {name for name in request.headers if name.lower() == "x-amz-date"}
    if not dates:
        raise Refused("MissingParameter", "A signed request needs a Timestamp, Expires or X-Amz-Date.")


def _moment(given: str) -> datetime:
    """A time as text, or as seconds since 1970. Raises Refused."""
    try:
        if given.isascii() and given.isdigit():
            # There is a form without any punctuation, but not of digits only.
            return datetime.fromtimestamp(int(given[:12]), UTC)
        try:
            return datetime.strptime(given, _COMPACT).replace(tzinfo=UTC)
        except ValueError:
            found = datetime.fromisoformat(given)
        return found if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError):
        raise invalid(f"{given[:64]!r} is not a time.") from None
