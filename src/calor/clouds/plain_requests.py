"""Sends the usual requests to services with a tenth of the work of requests and urllib3.

It takes connections from their pools, with their TLS settings, and returns their responses and errors. Whatever is
unusual, such as a proxy, a streamed body or an odd URL, is left to them.
"""

from __future__ import annotations

import re
import ssl
import time
from collections.abc import Callable, Mapping
from datetime import timedelta
from http.client import HTTPConnection, HTTPException, HTTPMessage, HTTPResponse
from http.cookiejar import DefaultCookiePolicy
from io import BytesIO
from typing import Any

import urllib3
from requests import PreparedRequest, Response, Session, exceptions
from requests.adapters import BaseAdapter
from requests.structures import CaseInsensitiveDict
from requests.utils import get_encoding_from_headers, get_netrc_auth, select_proxy
from urllib3.connectionpool import HTTPConnectionPool
from urllib3.exceptions import ConnectTimeoutError, HTTPError, NewConnectionError, SSLError
from urllib3.util.ssl_match_hostname import CertificateError

from calor.clouds.connection_options import Verify
from calor.clouds.connections import IdleLimitAdapter

# Without dot segments, quotes and queries, which have to be normalized.
_URL = re.compile(
    r"(?P<origin>https?://[a-z0-9.-]+(:[0-9]{1,5})?)(?P<path>(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+/?)"
)
_HEADER = re.compile(r"[!-~]([ -~]*[!-~])?")
_WITHOUT_LENGTH = frozenset({"GET", "HEAD"})
"""The methods of requests without a body that do not say so."""

_Certificate = tuple[str, str] | None
_Target = tuple[BaseAdapter, str, Verify | None, _Certificate]
"""The origin of a URL, and how to connect to it."""


class PlainSession(Session):
    """A session without cookies: it is shared by many users, and a cookie of one must not be sent for another."""

    def __init__(self) -> None:
        super().__init__()
        self.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        self._pools: dict[_Target, HTTPConnectionPool | None] = {}
        """None if requests are not sent directly."""

    def request(self, method: str, url: str | bytes, *args: Any, **options: Any) -> Response:
        """Raises what the requests library raises."""
        send = self._direct(method, url, **options) if isinstance(url, str) and not args else None
        return send() if send is not None else super().request(method, url, *args, **options)

    def _direct(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, Any] | None = None,
        data: Any = None,
        params: Any = None,
        timeout: Any = None,
        verify: Verify | None = None,
        cert: Any = None,
        allow_redirects: bool = True,
        **others: Any,
    ) -> Callable[[], Response] | None:
        """Sends the request; None if it is unusual."""
        parts = _URL.fullmatch(url)
        if parts is None or params or others or allow_redirects or not isinstance(timeout, int | float):
            return None
        if data is not None and not isinstance(data, str | bytes):
            return None
        sent = self.headers.copy()
        sent.update(headers or {})
        if not all(isinstance(value, str) and _HEADER.fullmatch(value) for value in sent.values()):
            return None
        pool = self._pool(self.get_adapter(url), parts["origin"], verify, cert)
        if pool is None:
            return None
        body = data.encode() if isinstance(data, str) else data
        if body or method not in _WITHOUT_LENGTH:
            sent["Content-Length"] = str(len(body or b""))
        return lambda: _exchange(pool, method, url, parts["path"], body, sent, timeout)

    def _pool(self, *target: *_Target) -> HTTPConnectionPool | None:
        """The connections to an origin; None if there is a proxy or a login for it. The environment is read once."""
        if target not in self._pools:
            self._pools[target] = self._found_pool(*target)
        return self._pools[target]

    def _found_pool(
        self, adapter: BaseAdapter, origin: str, verify: Verify | None, certificate: _Certificate
    ) -> HTTPConnectionPool | None:
        settings = self.merge_environment_settings(origin, {}, None, verify, certificate)
        if (
            not isinstance(adapter, IdleLimitAdapter)
            or select_proxy(origin, settings["proxies"])
            or get_netrc_auth(origin)
        ):
            return None
        request = PreparedRequest()
        request.url = origin
        found = adapter.get_connection_with_tls_context(request, settings["verify"], cert=settings["cert"])
        adapter.cert_verify(found, origin, settings["verify"], settings["cert"])
        return found


def _exchange(
    pool: HTTPConnectionPool,
    method: str,
    url: str,
    path: str,
    body: bytes | None,
    headers: CaseInsensitiveDict[Any],
    timeout: float,
) -> Response:
    request = PreparedRequest()
    request.method, request.url, request.headers, request.body = method, url, headers, body
    began = time.perf_counter()
    connection: Any = pool._get_conn()
    complete = False
    try:
        connection.timeout = timeout
        if connection.sock is not None:
            connection.sock.settimeout(timeout)
        pool._validate_conn(connection)
        # The methods below those of urllib3, which wrap the response in many layers.
        HTTPConnection.request(connection, method, path, body, headers)
        answer = HTTPConnection.getresponse(connection)
        content = answer.read()
        complete = True
        return _response(request, answer, content, time.perf_counter() - began)
    except NewConnectionError as error:
        # Before timeouts, of which urllib3 makes it a kind. The cause is without the names of classes.
        raise exceptions.ConnectionError(error.__cause__ or error, request=request) from error
    except (TimeoutError, ConnectTimeoutError) as error:
        raise exceptions.Timeout(error, request=request) from error
    except (ssl.SSLError, SSLError, CertificateError) as error:
        raise exceptions.SSLError(error, request=request) from error
    except (OSError, HTTPException, HTTPError) as error:
        raise exceptions.ConnectionError(error, request=request) from error
    finally:
        if not complete:
            connection.close()
        pool._put_conn(connection)


def _response(request: PreparedRequest, answer: HTTPResponse, content: bytes, seconds: float) -> Response:
    response = Response()
    response.status_code = answer.status
    response.reason = answer.reason
    response.url = request.url or ""
    response.request = request
    response.headers = _joined(answer.headers)
    response.encoding = get_encoding_from_headers(response.headers)
    response.elapsed = timedelta(seconds=seconds)
    if content and "Content-Encoding" in response.headers:
        content = urllib3.HTTPResponse(BytesIO(content), headers=dict(response.headers)).data
    response._content = content
    response._content_consumed = True
    return response


def _joined(headers: HTTPMessage) -> CaseInsensitiveDict[str]:
    joined: CaseInsensitiveDict[str] = CaseInsensitiveDict()
    for name, value in headers.items():
        joined[name] = f"{joined[name]}, {value}" if name in joined else value
    return joined
