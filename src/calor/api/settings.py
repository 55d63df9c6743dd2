"""The settings of the API."""

from __future__ import annotations

from dataclasses import dataclass

from calor import __version__


@dataclass(frozen=True, slots=True)
class Cors:
    """What web pages of other origins may do."""

    origins: tuple[str, ...] = ()
    """The allowed origins; * means any."""
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
    """The time limit for receiving a body."""
    previews_at_once: int = 4
    """The maximum number of concurrent previews and validations of a project."""
    streams_per_project: int = 32
    """The maximum number of open event streams of a project."""
    large_bodies_at_once: int = 2
    """The maximum number of concurrent requests of a project with bodies above a megabyte."""
    trust_proxy_headers: bool = False
    """Whether to trust X-Forwarded-Proto, -Host, -Port and -Prefix."""
    cors: Cors = Cors()
    enable_abandon: bool = False
    enable_adopt: bool = False
    converge: bool = False
    """Whether every update compares with the actual state in the cloud."""
    metrics: bool = True
    servers_come_from: str | None = None
    """The source address of servers in the embedded cloud, which must not read the metrics."""
    access_log: bool = True
    """Whether every request is logged."""
    poll_seconds: float = 0.25
    """The interval at which event streams look for new events."""
    revision: str = __version__
    engine_revision: str = __version__
