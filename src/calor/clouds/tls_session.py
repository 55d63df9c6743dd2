"""TLS settings per service: the identity service, which receives passwords, has its own, and operators can configure
others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from keystoneauth1.session import Session
from requests import Response

from calor.clouds.connection_options import ServiceOptions


class TlsSession(Session):
    """A session whose `verify` applies to the identity service only."""

    def __init__(
        self,
        identity_url: str,
        others: ServiceOptions,
        overrides: Mapping[str, ServiceOptions],
        **options: Any,
    ) -> None:
        """`overrides` maps URL prefixes to options; entries may be added later."""
        super().__init__(**options)
        self._identity = f"{identity_url}/"
        self._others = others
        self._overrides = overrides

    def request(self, url: str, method: str, *args: Any, **options: Any) -> Response:
        if not url.startswith(self._identity):
            own = self._own(url)
            verify = own.verify if own is not None and own.verify is not None else self._others.verify
            options.setdefault("verify", verify)
            certificate = (own.certificate if own is not None else None) or self._others.certificate
            if certificate is not None:
                options.setdefault("cert", certificate)
        return super().request(url, method, *args, **options)

    def _own(self, url: str) -> ServiceOptions | None:
        # A copy, as other threads may add entries.
        found = [root for root in list(self._overrides) if url.startswith(root)]
        return self._overrides[max(found, key=len)] if found else None
