"""Routes of the object store, which authorizes requests itself, since many need no token."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from inspect import isawaitable
from uuid import uuid4

from calor.localcloud.caller import ANONYMOUS
from calor.localcloud.objectstore.policy import Access, Requester, account_of_path, authorize
from calor.localcloud.objectstore.service import ObjectStoreService
from calor.localcloud.problems import BadRequest
from calor.localcloud.web import Call, Reply, Route

# Sent with every response, even without content.
_PLAIN = {"Content-Type": "text/html; charset=UTF-8"}
_LONGEST_CONTAINER, _LONGEST_OBJECT = 256, 1024


@dataclass(frozen=True)
class StoreCall:
    """An authorized request."""

    call: Call
    account_id: str
    requester: Requester

    @property
    def is_owner(self) -> bool:
        return self.requester.is_owner

    @property
    def is_signed(self) -> bool:
        return self.requester.is_signed

    @property
    def container(self) -> str:
        return self.call.path["container"]

    @property
    def thing(self) -> str:
        return self.call.path["thing"]


@dataclass(frozen=True)
class StoreRoute:
    method: str
    path: str
    handler: Callable[[ObjectStoreService, StoreCall], Reply | Awaitable[Reply]]
    need: Access
    streams: bool = False

    def bound(self, store: ObjectStoreService) -> Route:
        async def answer(call: Call) -> Reply:
            _check_names(call)
            requester = authorize(store, call, self.need)
            known = replace(call, caller=requester.caller or ANONYMOUS)
            reply = self.handler(store, StoreCall(known, account_of_path(call), requester))
            settled = await reply if isawaitable(reply) else reply
            return replace(settled, headers={**_PLAIN, **settled.headers, "X-Trans-Id": _transaction(store)})

        return Route(self.method, self.path, answer, None, self.streams)


def _transaction(store: ObjectStoreService) -> str:
    return f"tx{uuid4().hex[:21]}-{int(store.now()):010x}"


ACCOUNT = "/v1/{account}"
CONTAINER = f"{ACCOUNT}/{{container}}"
OBJECT = f"{CONTAINER}/{{thing:path}}"


def _check_names(call: Call) -> None:
    container, thing = call.path.get("container", "x"), call.path.get("thing", "x")
    check_container_name(container)
    if not 1 <= len(thing.encode()) <= _LONGEST_OBJECT or "\0" in thing:
        raise BadRequest(f"Object name length of {len(thing)} longer than {_LONGEST_OBJECT}")


def check_container_name(name: str) -> None:
    if not 1 <= len(name.encode()) <= _LONGEST_CONTAINER or "/" in name or "\0" in name:
        raise BadRequest(f"Container name length of {len(name)} longer than {_LONGEST_CONTAINER}")
