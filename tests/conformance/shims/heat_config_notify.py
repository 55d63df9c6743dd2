"""What the tests of heat-config-notify replace is called by the transports of Calor."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any, TextIO
from unittest import mock

from calor_guest.common.http import Response
from calor_guest.config import notify, transports

requests: Any = None
ksclient: Any = None
heatclient: Any = None
Retry: Any = None
HTTPAdapter: Any = None
init_logging: Any = None
_TOKEN = "X-Auth-Token"


class _Session:
    def __init__(self, auth_url: str, user_id: str, password: str, project_id: str) -> None:
        self._keystone = ksclient.Client(
            auth_url=auth_url, user_id=user_id, password=password, project_id=project_id
        )
        self.headers = {_TOKEN: self._keystone.auth_token}

    def endpoint(self, kind: str, region: str | None) -> str:
        catalog = self._keystone.service_catalog
        url: str = catalog.url_for(service_type=kind, endpoint_type="publicURL", region_name=region)
        return url


def main(arguments: Sequence[str], stdin: TextIO) -> int:
    replaced = mock.patch.multiple(transports, send=_send, log_in=_Session, SCHEMES=("mock",))
    with replaced, mock.patch.object(sys, "stdin", stdin):
        return notify.main(list(arguments[1:]))


def _send(verb: str, url: str, body: bytes, headers: Mapping[str, str]) -> Response:
    if _TOKEN in headers:
        _signal(url, json.loads(body), headers[_TOKEN])
    else:
        call = getattr(requests.Session(), verb.lower())
        call(url, data=body.decode(), headers=headers)
    return Response(200, {}, b"")


def _signal(url: str, data: object, token: str) -> None:
    endpoint, _, path = url.partition("/stacks/")
    stack, _, rest = path.partition("/resources/")
    heatclient.Client("1", endpoint, token=token).resources.signal(
        stack, rest.removesuffix("/signal"), data=data
    )
