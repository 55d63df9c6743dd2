"""Records of the image service."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from calor.localcloud.store import Collection, Store


@dataclass(frozen=True)
class Image:
    id: str
    owner: str | None
    created_at: str
    updated_at: str
    name: str | None = None
    status: str = "queued"
    visibility: str = "shared"
    protected: bool = False
    os_hidden: bool = False
    container_format: str | None = None
    disk_format: str | None = None
    min_disk: int = 0
    min_ram: int = 0
    size: int | None = None
    virtual_size: int | None = None
    checksum: str | None = None
    os_hash_algo: str | None = None
    os_hash_value: str | None = None
    tags: tuple[str, ...] = ()
    properties: Mapping[str, str] = field(default_factory=dict)
    has_data: bool = False
    """Whether there is a file. Seeded images have none: the backend knows them by name."""
    import_problem: str | None = None
    """Why the last import failed."""


@dataclass(frozen=True)
class Member:
    """A project an image is shared with."""

    id: str
    image_id: str
    member_id: str
    created_at: str
    updated_at: str
    status: str = "pending"


@dataclass(frozen=True)
class DeletedImage:
    """Reserves the id of a deleted image, so that users of the id do not get another project's image."""

    id: str
    owner: str | None


@dataclass(frozen=True)
class Namespace:
    """Definitions of metadata. Its id is its name."""

    id: str
    owner: str | None
    created_at: str
    updated_at: str
    display_name: str | None = None
    description: str | None = None
    visibility: str = "private"
    protected: bool = False
    properties: Mapping[str, object] = field(default_factory=dict)
    objects: Mapping[str, Any] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    resource_types: Mapping[str, Any] = field(default_factory=dict)


class Records:
    def __init__(self, store: Store) -> None:
        self.store = store
        self.images: Collection[Image] = store.collection(
            "image_images", Image, [("owner",), ("visibility",), ("status",), ("name",)]
        )
        self.members: Collection[Member] = store.collection(
            "image_members", Member, [("image_id",), ("member_id",)]
        )
        self.deleted: Collection[DeletedImage] = store.collection("image_deleted", DeletedImage)
        self.namespaces: Collection[Namespace] = store.collection("image_namespaces", Namespace)

    def member(self, image_id: str, member_id: str) -> Member | None:
        return self.members.get(member_key(image_id, member_id))


def member_key(image_id: str, member_id: str) -> str:
    return f"{image_id} {member_id}"
