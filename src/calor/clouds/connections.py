"""Connections that are kept for the next request, but not for long.

Servers close what has been idle for some seconds. A request that is sent at that very moment fails, and whether it was
heard nobody knows; so whatever has rested for a while is closed here before it can be closed there.

What is sent is checked last of all: see `fencing`.
"""

from __future__ import annotations

import time
from typing import Any

from keystoneauth1.session import TCPKeepAliveAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

from calor.clouds.fencing import Check, check_of_request

REST_SECONDS = 2.0
"""Less than after what servers close: Apache and uvicorn after five."""


class _Rested:
    """A pool that knows since when its connections rest."""

    def _put_conn(self, connection: Any) -> None:
        if connection is not None:
            connection.rests_since = time.monotonic()
        super()._put_conn(connection)  # type: ignore[misc]

    def _get_conn(self, timeout: float | None = None) -> Any:
        connection = super()._get_conn(timeout)  # type: ignore[misc]
        since = getattr(connection, "rests_since", None)
        if since is not None and time.monotonic() - since >= REST_SECONDS:
            # It is opened anew when it is used.
            connection.close()
        return connection


class _Fenced:
    """A connection that asks before each piece of a request whether it may still be sent. A request that is cut off is
    never carried out: the connection is closed then."""

    sock: Any
    _check: Check | None = None

    def putrequest(self, method: str, url: str, *args: Any, **options: Any) -> None:
        self._check = check_of_request(method, url)
        super().putrequest(method, url, *args, **options)  # type: ignore[misc]

    def send(self, data: Any) -> None:
        if self._check is not None:
            if self.sock is None:
                # Which may take its time.
                self.connect()  # type: ignore[attr-defined]
            self._check()
        super().send(data)  # type: ignore[misc]


class _Connection(_Fenced, HTTPConnection):
    pass


class _SecureConnection(_Fenced, HTTPSConnection):
    pass


class _Pool(_Rested, HTTPConnectionPool):
    ConnectionCls = _Connection


class _SecurePool(_Rested, HTTPSConnectionPool):
    ConnectionCls = _SecureConnection


AT_ONCE = 64
"""Connections to one host that are kept: as many as there may be requests under way."""


class RestlessAdapter(TCPKeepAliveAdapter):
    def __init__(self) -> None:
        super().__init__(pool_maxsize=AT_ONCE)

    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        super().init_poolmanager(*args, **options)
        self.poolmanager.pool_classes_by_scheme = {"http": _Pool, "https": _SecurePool}
