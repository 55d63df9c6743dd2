"""Images as the API shows them."""

from __future__ import annotations

from typing import Any

from calor.localcloud.image.records import Image, Member

STORE = "file"
"""The one place where data is kept."""

_SHOWN = (
    "id",
    "name",
    "status",
    "visibility",
    "protected",
    "os_hidden",
    "owner",
    "container_format",
    "disk_format",
    "min_disk",
    "min_ram",
    "size",
    "virtual_size",
    "checksum",
    "os_hash_algo",
    "os_hash_value",
)


def show_image(image: Image) -> dict[str, Any]:
    return {
        **image.properties,
        **({"stores": STORE} if image.has_data else {}),
        **{name: getattr(image, name) for name in _SHOWN},
        "tags": sorted(image.tags),
        "created_at": to_the_second(image.created_at),
        "updated_at": to_the_second(image.updated_at),
        "self": f"/v2/images/{image.id}",
        "file": f"/v2/images/{image.id}/file",
        "schema": "/v2/schemas/image",
    }


def show_member(member: Member) -> dict[str, Any]:
    return {
        "image_id": member.image_id,
        "member_id": member.member_id,
        "status": member.status,
        "created_at": to_the_second(member.created_at),
        "updated_at": to_the_second(member.updated_at),
        "schema": "/v2/schemas/member",
    }


def to_the_second(stamp: str) -> str:
    return f"{stamp[:19]}Z"
