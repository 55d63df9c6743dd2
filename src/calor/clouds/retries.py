"""How often, and after how long, a request to a service that is temporarily unavailable is retried."""

from __future__ import annotations

from calor.clouds.errors import Transient

PAUSES = (0.1, 0.3, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
BRIEF = PAUSES[:5]
_REFUSED = (429, 503)


def is_refusal(error: Transient) -> bool:
    """Whether the service has certainly not started the request. After a proxy timeout (502, 504), an internal error
    (500) or a lost connection that is not known."""
    return error.status in _REFUSED


def pause_after(error: Transient, failures: int, *, creating: bool = False) -> float | None:
    """The seconds to wait after an error that follows `failures` others; None to give up. A create request that is
    answered with 500 seldom succeeds later."""
    pauses = BRIEF if creating and error.status == 500 else PAUSES
    return max(pauses[failures], error.retry_after) if failures < len(pauses) else None
