"""Routes of the object store: it decides itself who is let in, as many may be who have no token."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from inspect import isawaitable
from uuid import uuid4

from calor.localcloud.caller import ANONYMOUS
from calor.localcloud.objectstore.access import Need, Visitor, account_in, admit
from calor.localcloud.objectstore.state import ObjectStore
from calor.localcloud.problems import BadRequest
from calor.localcloud.web import Call, Reply, Route

# Told with every answer, even one that has no content.
_PLAIN = {"Content-Type": "text/html; charset=UTF-8"}
_LONGEST_CONTAINER, _LONGEST_OBJECT = 256, 1024


@dataclass(frozen=True)
class Visit:
    """A request that was let in."""

    call: Call
    account_id: str
    visitor: Visitor

    @property
    def is_owner(self) -> bool:
        return self.visitor.is_owner

    @property
    def is_signed(self) -> bool:
        return self.visitor.is_signed

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
    handler: Callable[[ObjectStore, Visit], Reply | Awaitable[Reply]]
    need: Need
    streams: bool = False

    def bound(self, store: ObjectStore) -> Route:
        async def answer(call: Call) -> Reply:
            _check_names(call)
            visitor = admit(store, call, self.need)
            known = replace(call, caller=visitor.caller or ANONYMOUS)
            reply = self.handler(store, Visit(known, account_in(call), visitor))
            settled = await reply if isawaitable(reply) else reply
            return replace(settled, headers={**_PLAIN, **settled.headers, "X-Trans-Id": _transaction(store)})

        return Route(self.method, self.path, answer, None, self.streams)


def _transaction(store: ObjectStore) -> str:
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
