"""What an operator can set about the API."""

from __future__ import annotations

from dataclasses import dataclass

from calor import __version__


@dataclass(frozen=True, slots=True)
class Cors:
    """What pages of other origins may do."""

    origins: tuple[str, ...] = ()
    """The origins; * is any."""
    credentials: bool = True
    methods: tuple[str, ...] = ("GET", "POST", "PUT", "PATCH", "DELETE")
    headers: tuple[str, ...] = ("X-Auth-Token", "Content-Type")
    expose_headers: tuple[str, ...] = ("X-OpenStack-Request-ID", "Location")
    max_age: int = 3600


@dataclass(frozen=True, slots=True)
class ApiSettings:
    largest_body: int = 1_048_576
    largest_template: int = 524_288
    longest_url: int = 50_000
    body_seconds: float = 120.0
    """How long a client may take to send a body."""
    previews_at_once: int = 4
    """How many previews and validations of one project go on at the same time."""
    large_bodies_at_once: int = 2
    """How many bodies above a megabyte one project has read and handled at the same time."""
    trust_proxy_headers: bool = False
    """Whether X-Forwarded-Proto, -Host, -Port and -Prefix say where clients reach the API."""
    cors: Cors = Cors()
    enable_abandon: bool = False
    enable_adopt: bool = False
    converge: bool = False
    """Whether every update compares with reality."""
    metrics: bool = True
    servers_come_from: str | None = None
    """The address from which servers of the embedded cloud ask: they are not told the metrics."""
    access_log: bool = True
    """Whether every request has a line in the log."""
    poll_seconds: float = 0.25
    """How often a stream of events looks for new ones."""
    revision: str = __version__
    engine_revision: str = __version__
