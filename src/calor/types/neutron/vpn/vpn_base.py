"""What types of virtual private networks have in common."""

from __future__ import annotations

from calor.language.constraints import one_of
from calor.language.schema import Property
from calor.types.cloud_objects import Object, failed
from calor.types.neutron.network_object import NetworkObject

AUTH_ALGORITHMS = one_of("sha1", "sha256", "sha384", "sha512", "aes-xcbc", "aes-cmac")

ENCRYPTION_ALGORITHMS = one_of(
    "3des",
    "aes-128",
    "aes-192",
    "aes-256",
    "aes-128-ccm-8",
    "aes-192-ccm-8",
    "aes-256-ccm-8",
    "aes-128-ccm-12",
    "aes-192-ccm-12",
    "aes-256-ccm-12",
    "aes-128-ccm-16",
    "aes-192-ccm-16",
    "aes-256-ccm-16",
    "aes-128-gcm-8",
    "aes-192-gcm-8",
    "aes-256-gcm-8",
    "aes-128-gcm-12",
    "aes-192-gcm-12",
    "aes-256-gcm-12",
    "aes-128-gcm-16",
    "aes-192-gcm-16",
    "aes-256-gcm-16",
    "aes-128-ctr",
    "aes-192-ctr",
    "aes-256-ctr",
)

PFS_GROUPS = one_of(
    "group2",
    "group5",
    "group14",
    "group15",
    "group16",
    "group17",
    "group18",
    "group19",
    "group20",
    "group21",
    "group22",
    "group23",
    "group24",
    "group25",
    "group26",
    "group27",
    "group28",
    "group29",
    "group30",
    "group31",
)

LIFETIME = {
    "units": Property(str, default="seconds", constraints=[one_of("seconds", "kilobytes")]),
    "value": Property(int, default=3600),
}


class VPNObject(NetworkObject, extends=True):
    waits_for_removal = True

    @classmethod
    def is_ready(cls, shown: Object) -> bool:
        """A service is pending until it has a connection, and a connection is down until the other side is up."""
        if shown.get("status") == "ERROR":
            raise failed(shown)
        return True
