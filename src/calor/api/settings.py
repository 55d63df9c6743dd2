"""What an operator can set about the API."""

from __future__ import annotations

from dataclasses import dataclass

from calor import __version__


@dataclass(frozen=True, slots=True)
class ApiSettings:
    largest_body: int = 1_048_576
    longest_url: int = 50_000
    trust_proxy_headers: bool = False
    """Whether X-Forwarded-Proto, -Host, -Port and -Prefix say where clients reach the API."""
    cors_origins: tuple[str, ...] = ()
    enable_abandon: bool = False
    enable_adopt: bool = False
    metrics: bool = True
    poll_seconds: float = 0.25
    """How often a stream of events looks for new ones."""
    revision: str = __version__
    engine_revision: str = __version__
