"""Whose certificates are believed: the identity service, which is told passwords and says who users are, goes by a rule
of its own."""

from __future__ import annotations

from typing import Any

from keystoneauth1.session import Session
from requests import Response


class BelievingSession(Session):
    """Its `verify` is for the identity service, also when it logs in by itself on the way to another one."""

    def __init__(self, identity_url: str, verify_services: bool | str, **options: Any) -> None:
        super().__init__(**options)
        self._identity = f"{identity_url}/"
        self._verify_services = verify_services

    def request(self, url: str, method: str, *args: Any, **options: Any) -> Response:
        if not url.startswith(self._identity):
            options.setdefault("verify", self._verify_services)
        return super().request(url, method, *args, **options)
