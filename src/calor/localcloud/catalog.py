"""The catalog entries of the cloud's own services."""

from __future__ import annotations

from collections.abc import Iterator

from calor.localcloud.config import AnnouncedService, CloudConfig

_OWN_SERVICES = (
    # Type, name, path.
    ("identity", "keystone", "identity"),
    ("compute", "nova", "compute/v2.1"),
    ("image", "glance", "image"),
    ("network", "neutron", "network"),
    ("volumev3", "cinder", "volume/v3/%(project_id)s"),
    ("block-storage", "cinder", "volume/v3/%(project_id)s"),
    ("object-store", "swift", "object-store/v1/AUTH_%(project_id)s"),
    ("placement", "placement", "placement"),
)


def own_services(config: CloudConfig) -> Iterator[AnnouncedService]:
    public, internal = config.public_url or config.url, config.internal_url or config.url
    for type_, name, path in _OWN_SERVICES:
        yield AnnouncedService(type_, name, f"{public}/{path}", f"{internal}/{path}")
