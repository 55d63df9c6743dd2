"""Keep-alive connections that are closed before servers close them, and that check requests before sending (see
`fencing`).

Servers close connections that have been idle for some seconds. A request sent at that moment fails, and it is not known
whether it was processed.
"""

from __future__ import annotations

import time
from typing import Any

from keystoneauth1.session import TCPKeepAliveAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

from calor.clouds.fencing import Check, check_of_request

MAX_IDLE_SECONDS = 2.0
"""Less than the keep-alive timeouts of servers: five seconds for Apache and uvicorn."""


class _IdleLimit:
    """A pool that reconnects instead of reusing a connection that has been idle for too long."""

    def _put_conn(self, connection: Any) -> None:
        if connection is not None:
            connection.idle_since = time.monotonic()
        super()._put_conn(connection)  # type: ignore[misc]

    def _get_conn(self, timeout: float | None = None) -> Any:
        connection = super()._get_conn(timeout)  # type: ignore[misc]
        since = getattr(connection, "idle_since", None)
        if since is not None and time.monotonic() - since >= MAX_IDLE_SECONDS:
            # It is reopened when it is used.
            connection.close()
        return connection


class _Fenced:
    """A connection that checks before each part of a request whether it may still be sent. If not, the connection is
    closed, and the server does not process the incomplete request."""

    sock: Any
    idle_since: float
    _check: Check | None = None

    def putrequest(self, method: str, url: str, *args: Any, **options: Any) -> None:
        self._check = check_of_request(method, url)
        super().putrequest(method, url, *args, **options)  # type: ignore[misc]

    def send(self, data: Any) -> None:
        if self._check is not None:
            if self.sock is None:
                # Connect before the check: it may take long.
                self.connect()  # type: ignore[attr-defined]
            self._check()
        super().send(data)  # type: ignore[misc]


class _Connection(_Fenced, HTTPConnection):
    pass


class _SecureConnection(_Fenced, HTTPSConnection):
    pass


class _Pool(_IdleLimit, HTTPConnectionPool):
    ConnectionCls = _Connection


class _SecurePool(_IdleLimit, HTTPSConnectionPool):
    ConnectionCls = _SecureConnection


MAX_CONNECTIONS = 64
"""Connections to one host that are kept: as many as there may be concurrent requests."""


class IdleLimitAdapter(TCPKeepAliveAdapter):
    def __init__(self) -> None:
        super().__init__(pool_maxsize=MAX_CONNECTIONS)

    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        super().init_poolmanager(*args, **options)
        self.poolmanager.pool_classes_by_scheme = {"http": _Pool, "https": _SecurePool}
