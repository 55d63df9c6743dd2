"""Whose certificates are believed: the identity service, which is told passwords and says who users are, goes by a rule
of its own, and so do services for which the operator says something else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from keystoneauth1.session import Session
from requests import Response

from calor.clouds.reaching import Reach


class BelievingSession(Session):
    """Its `verify` is for the identity service, also when it logs in by itself on the way to another one."""

    def __init__(
        self, identity_url: str, others: Reach, singled_out: Mapping[str, Reach], **options: Any
    ) -> None:
        """`singled_out` has services by the beginning of their addresses, and may grow."""
        super().__init__(**options)
        self._identity = f"{identity_url}/"
        self._others = others
        self._singled_out = singled_out

    def request(self, url: str, method: str, *args: Any, **options: Any) -> Response:
        if not url.startswith(self._identity):
            own = self._own(url)
            verify = own.verify if own is not None and own.verify is not None else self._others.verify
            options.setdefault("verify", verify)
            certificate = (own.certificate if own is not None else None) or self._others.certificate
            if certificate is not None:
                options.setdefault("cert", certificate)
        return super().request(url, method, *args, **options)

    def _own(self, url: str) -> Reach | None:
        # A copy, as others may add to it meanwhile.
        found = [root for root in list(self._singled_out) if url.startswith(root)]
        return self._singled_out[max(found, key=len)] if found else None
