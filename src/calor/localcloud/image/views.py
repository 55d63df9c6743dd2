"""Images as the API shows them."""

from __future__ import annotations

from calor.localcloud.image.records import Image, Member
from calor.localcloud.types import Json

STORE = "file"
"""The id of the only store."""

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


def show_image(image: Image) -> Json:
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


def show_member(member: Member) -> Json:
    return {
        "image_id": member.image_id,
        "member_id": member.member_id,
        "status": member.status,
        "created_at": to_the_second(member.created_at),
        "updated_at": to_the_second(member.updated_at),
        "schema": "/v2/schemas/member",
    }


def show_failed_import(image: Image) -> Json:
    """The task of the last import. Has the id of the image."""
    return {
        "id": image.id,
        "type": "api_image_import",
        "status": "failure",
        "message": image.import_problem,
        "image_id": image.id,
        "owner": image.owner,
        "created_at": to_the_second(image.created_at),
        "updated_at": to_the_second(image.updated_at),
        "schema": "/v2/schemas/task",
    }


def to_the_second(stamp: str) -> str:
    return f"{stamp[:19]}Z"
