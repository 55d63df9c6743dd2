"""Which resource types can be used where: a type is of use only if its service is in the caller's catalog, with the
extension that it needs, and if there is behaviour for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from calor.clouds.errors import CloudError
from calor.language.library import World
from calor.language.schema import ResourceType
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
    return _obstacle(world, caller, type_name) is None


def check_available(
    world: World, caller: Caller, type_names: Iterable[str], *, to_be_made: bool = False
) -> None:
    """Raises ServiceError for the first of the types that cannot be used, or of which nothing `to_be_made` can
    be."""
    for name in type_names:
        obstacle = _obstacle(world, caller, name, to_be_made)
        if obstacle is not None:
            raise ServiceError(UNAVAILABLE, obstacle)


Extensions = Callable[[str], frozenset[str]]
"""The aliases of the extensions that a service has, by its short name. May raise CloudError."""

_EXTENSIBLE = {"cinder": "volume", "neutron": "network", "openstack": "network"}
"""The services that can be asked for their extensions."""


def extended(world: World, type_names: Iterable[str]) -> list[type[ResourceType]]:
    """The types that need an extension of their service."""
    declared = (world.declaration(name) for name in type_names)
    return [one for one in declared if one is not None and one.extension and one.service in _EXTENSIBLE]


def lacking_extensions(
    types: Iterable[type[ResourceType]], extensions: Extensions | None
) -> Iterator[type[ResourceType]]:
    """Those of the types whose service lacks the extension that they need. A service that does not tell, or that nobody
    can ask, is taken to have it."""
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


def check_extensions(types: Iterable[type[ResourceType]], extensions: Extensions | None) -> None:
    """Raises ServiceError for the first of the types whose service lacks the extension that it needs."""
    for one in lacking_extensions(types, extensions):
        reason = f"Required extension {one.extension} in {one.service} service is not available."
        raise ServiceError(UNAVAILABLE, _unavailable(str(one.service), one.type_name, reason))


def _unavailable(service: str, type_name: str, reason: str) -> str:
    return f"Service {service} is not available for resource type {type_name}, reason: {reason}"


def _obstacle(world: World, caller: Caller, type_name: str, to_be_made: bool = False) -> str | None:
    """Why a caller cannot use a type: its service is missing, or nothing is known of how to work with it."""
    declared = world.declaration(type_name)
    service = declared.service if declared is not None else None
    if declared is None or service is None or caller.services is None or service == "heat":
        return None
    if not caller.services.intersection(_types_of(service)):
        reason = f"{service} {_types_of(service)[0]} endpoint is not in service catalog."
    elif to_be_made and not declared.can_be_made():
        reason = "this server cannot create such resources yet."
    else:
        return None
    return _unavailable(service, type_name, reason)


def _types_of(service: str) -> tuple[str, ...]:
    """A service that only a plug-in knows is in the catalog under its own name."""
    return SERVICE_TYPES.get(service, (service,))
