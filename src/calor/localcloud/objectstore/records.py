"""Records of the object store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from calor.localcloud.store import Collection, Store

Texts = Mapping[str, str]


@dataclass(frozen=True)
class Account:
    """The account of a project, with the same id. Created when it is first used."""

    id: str
    created_at: float
    metadata: Texts = field(default_factory=dict)
    container_count: int = 0
    object_count: int = 0
    bytes_used: int = 0


@dataclass(frozen=True)
class Container:
    id: str
    account_id: str
    name: str
    created_at: float
    changed_at: float
    metadata: Texts = field(default_factory=dict)
    settings: Texts = field(default_factory=dict)
    """Settings from headers such as X-Container-Read, by lower-case name."""
    object_count: int = 0
    bytes_used: int = 0


@dataclass(frozen=True)
class Segment:
    """A part of a large object: an object, or the bytes of one from `start` up to but without `end`."""

    path: str
    etag: str
    size: int
    start: int = 0
    end: int | None = None


@dataclass(frozen=True)
class StoredObject:
    """An object."""

    id: str
    container_id: str
    name: str
    file: str
    """The name of the file with its data."""
    size: int
    """Of the data that is stored, or of all segments together."""
    etag: str
    content_type: str
    changed_at: float
    metadata: Texts = field(default_factory=dict)
    headers: Texts = field(default_factory=dict)
    """Headers that are sent back unchanged, such as Content-Encoding."""
    delete_at: int | None = None
    manifest: str | None = None
    """Container and prefix of the segments of a dynamic large object."""
    is_static_large: bool = False
    """Whether the data is a list of segments."""


class Records:
    def __init__(self, store: Store) -> None:
        self.store = store
        self.accounts: Collection[Account] = store.collection("object_accounts", Account)
        self.containers: Collection[Container] = store.collection(
            "object_containers", Container, [("account_id", "name")]
        )
        self.things: Collection[StoredObject] = store.collection(
            "object_things", StoredObject, [("container_id", "name")]
        )


def container_key(account_id: str, name: str) -> str:
    return f"{account_id}/{name}"


def object_key(container: Container, name: str) -> str:
    return f"{container.id}/{name}"
