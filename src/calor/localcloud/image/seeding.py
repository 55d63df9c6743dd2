"""Seeds images, which have no data since the backend knows them by name, and metadata definitions for operating
systems: dashboards cannot edit metadata without definitions."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import uuid4

from calor.localcloud.image.records import Image, Namespace, Records
from calor.localcloud.image.service import ImageService
from calor.localcloud.seeding import SeedAccounts, is_first_time

# Name, distribution, version, size in bytes.
_IMAGES = (
    ("cirros", "cirros", "0.6.2", 21_430_272),
    ("cirros-0.3.5", "cirros", "0.3.5", 13_267_968),
    ("cirros-0.3.5-x86_64-disk", "cirros", "0.3.5", 13_267_968),
    ("debian-12", "debian", "12", 344_358_912),
    ("fedora-heat-test", "fedora", "39", 413_204_480),
)

_OPERATING_SYSTEM: Mapping[str, Mapping[str, object]] = {
    "os_type": {
        "title": "Type",
        "description": "The kind of operating system.",
        "enum": ["linux", "windows"],
    },
    "os_distro": {
        "title": "Distribution",
        "description": "The short name of the distribution, such as debian.",
    },
    "os_version": {"title": "Version", "description": "The version, as the distribution writes it."},
    "architecture": {
        "title": "Architecture",
        "description": "The processors it is built for, such as x86_64.",
    },
}
_WITH_METADATA: Mapping[str, Mapping[str, str]] = {
    "OS::Glance::Image": {},
    "OS::Nova::Aggregate": {},
    "OS::Nova::Flavor": {},
    # Servers have hints for the scheduler as well.
    "OS::Nova::Server": {"properties_target": "metadata"},
    "OS::Cinder::Snapshot": {},
    "OS::Cinder::Volume": {},
    "OS::Cinder::VolumeType": {},
}


def seed_images(service: ImageService, accounts: SeedAccounts) -> None:
    if accounts.admin_project is not None:
        _seed_images(service.records, accounts.admin_project, service.stamp())
        _seed_definitions(service.records, accounts.admin_project, service.stamp())


def _seed_images(records: Records, owner: str, stamp: str) -> None:
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


def _seed_definitions(records: Records, owner: str, stamp: str) -> None:
    with records.store.transaction():
        if not is_first_time(records.store, "metadata definitions furnished"):
            return
        records.namespaces.add(
            Namespace(
                id="Calor::OperatingSystem",
                owner=owner,
                created_at=stamp,
                updated_at=stamp,
                display_name="Operating system",
                description="Properties of the operating system.",
                visibility="public",
                properties={name: {"type": "string", **each} for name, each in _OPERATING_SYSTEM.items()},
                resource_types={
                    name: {"name": name, **more, "created_at": stamp, "updated_at": stamp}
                    for name, more in _WITH_METADATA.items()
                },
            )
        )
