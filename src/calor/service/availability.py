"""Which resource types can be used where: a type is of use only if its service is in the caller's catalog."""

from __future__ import annotations

from collections.abc import Iterable

from calor.language.library import World
from calor.service.caller import Caller
from calor.service.errors import ServiceError

UNAVAILABLE = "ResourceTypeUnavailable"
CODE = "99001"
"""By which clients tell the error from others, and ask to have it passed over."""

SERVICE_TYPES: dict[str, tuple[str, ...]] = {
    "aodh": ("alarming", "alarm"),
    "barbican": ("key-manager",),
    "blazar": ("reservation",),
    "cinder": ("block-storage", "volumev3", "volumev2", "volume", "block-store"),
    "designate": ("dns",),
    "glance": ("image",),
    "heat": ("orchestration",),
    "ironic": ("baremetal",),
    "keystone": ("identity",),
    "magnum": ("container-infrastructure-management", "container-infra", "container-infrastructure"),
    "manila": ("shared-file-system", "sharev2", "share"),
    "mistral": ("workflow", "workflowv2"),
    "neutron": ("network",),
    "nova": ("compute",),
    "octavia": ("load-balancer",),
    "openstack": ("network",),
    "swift": ("object-store",),
    "trove": ("database",),
    "zaqar": ("message", "messaging"),
    "zun": ("application-container", "container"),
}
"""The types under which a catalog may have a service, the official one first."""


def is_available(world: World, caller: Caller, type_name: str) -> bool:
    return _missing(world, caller, type_name) is None


def check_available(world: World, caller: Caller, type_names: Iterable[str]) -> None:
    """Raises ServiceError for the first of the types whose service is not there."""
    for name in type_names:
        service = _missing(world, caller, name)
        if service is not None:
            message = (
                f"Service {service} is not available for resource type {name}, "
                f"reason: {service} {_types_of(service)[0]} endpoint is not in service catalog."
            )
            raise ServiceError(UNAVAILABLE, message)


def _missing(world: World, caller: Caller, type_name: str) -> str | None:
    """The service that a type needs and the caller has not."""
    declared = world.declaration(type_name)
    service = declared.service if declared is not None else None
    if service is None or caller.services is None or service == "heat":
        return None
    return None if caller.services.intersection(_types_of(service)) else service


def _types_of(service: str) -> tuple[str, ...]:
    """A service that only a plug-in knows is in the catalog under its own name."""
    return SERVICE_TYPES.get(service, (service,))
