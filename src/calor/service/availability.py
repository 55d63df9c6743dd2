"""Checks which resource types a caller can use: those that are implemented and whose service, with the required
extension, is in the caller's catalog."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from calor.clouds.errors import CloudError
from calor.language.library import World
from calor.language.schema import DeclaredType
from calor.service.caller import Caller
from calor.service.errors import UnusableType

UNAVAILABLE = "ResourceTypeUnavailable"
CODE = "99001"
"""The code by which clients recognize the error, and with which they can ask to ignore it."""

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
"""The types that a service may have in a catalog, the official one first."""


def is_available(world: World, caller: Caller, type_name: str) -> bool:
    return _obstacle(world, caller, type_name) is None


def check_available(
    world: World, caller: Caller, type_names: Iterable[str], *, to_create: bool = False
) -> None:
    """Raises UnusableType for the first of the types that cannot be used or, with `to_create`, created."""
    for name in type_names:
        obstacle = _obstacle(world, caller, name, to_create)
        if obstacle is not None:
            raise UnusableType(UNAVAILABLE, obstacle, name)


Extensions = Callable[[str], frozenset[str]]
"""Lists the aliases of the extensions of a service, given by its short name. May raise CloudError."""

_EXTENSIBLE = {"cinder": "volume", "neutron": "network", "openstack": "network"}
"""The services that list their extensions."""


def extended(world: World, type_names: Iterable[str]) -> list[type[DeclaredType]]:
    """The types that need an extension of their service."""
    declared = (world.declaration(name) for name in type_names)
    return [one for one in declared if one is not None and one.extension and one.service in _EXTENSIBLE]


def lacking_extensions(
    types: Iterable[type[DeclaredType]], extensions: Extensions | None
) -> Iterator[type[DeclaredType]]:
    """The types whose service lacks a required extension. A service that does not list its extensions, or cannot be
    reached, is assumed to have it."""
    if extensions is None:
        return
    for one in types:
        assert one.service is not None
        try:
            there = one.extension in extensions(_EXTENSIBLE[one.service])
        except CloudError:
            continue
        if not there:
            yield one


def check_extensions(types: Iterable[type[DeclaredType]], extensions: Extensions | None) -> None:
    """Raises UnusableType for the first of the types whose service lacks a required extension."""
    for one in lacking_extensions(types, extensions):
        reason = f"Required extension {one.extension} in {one.service} service is not available."
        message = _unavailable(str(one.service), one.type_name, reason)
        raise UnusableType(UNAVAILABLE, message, one.type_name)


def _unavailable(service: str, type_name: str, reason: str) -> str:
    return f"Service {service} is not available for resource type {type_name}, reason: {reason}"


def _obstacle(world: World, caller: Caller, type_name: str, to_create: bool = False) -> str | None:
    """Why a caller cannot use a type: it is not implemented or, checked second, its service is missing."""
    declared = world.declaration(type_name)
    service = declared.service if declared is not None else None
    if declared is None or service is None or caller.services is None or service == "heat":
        return None
    is_missing = not caller.services.intersection(_types_of(service))
    if (to_create or is_missing) and not declared.can_create():
        return f"This version of Calor cannot create resources of type {type_name}."
    if not is_missing:
        return None
    reason = f"{service} {_types_of(service)[0]} endpoint is not in service catalog."
    return _unavailable(service, type_name, reason)


def _types_of(service: str) -> tuple[str, ...]:
    """The types of a service in the catalog. That of a plug-in is the name of the service."""
    return SERVICE_TYPES.get(service, (service,))
