"""The images a new cloud begins with: they have names the machinery knows, and no data."""

from __future__ import annotations

from datetime import datetime
from uuid import uuid4

from calor.localcloud.image.records import Image, Records
from calor.localcloud.once import is_first_time

# Name, distribution, version, size in bytes.
_IMAGES = (
    ("cirros", "cirros", "0.6.2", 21_430_272),
    ("cirros-0.3.5", "cirros", "0.3.5", 13_267_968),
    ("cirros-0.3.5-x86_64-disk", "cirros", "0.3.5", 13_267_968),
    ("debian-12", "debian", "12", 344_358_912),
    ("fedora-heat-test", "fedora", "39", 413_204_480),
)


def furnish_images(records: Records, owner: str, at: datetime) -> None:
    """Once: what was deleted since then stays away."""
    stamp = f"{at:%Y-%m-%dT%H:%M:%S.%fZ}"
    with records.store.transaction():
        if not is_first_time(records.store, "images furnished"):
            return
        for name, distribution, version, size in _IMAGES:
            records.images.add(
                Image(
                    id=str(uuid4()),
                    owner=owner,
                    created_at=stamp,
                    updated_at=stamp,
                    name=name,
                    status="active",
                    visibility="public",
                    container_format="bare",
                    disk_format="qcow2",
                    size=size,
                    properties={
                        "os_distro": distribution,
                        "os_version": version,
                        "architecture": "x86_64",
                        "os_type": "linux",
                    },
                )
            )
