"""Address groups: lists of ranges that rules of security groups name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from calor.localcloud.network import readers
from calor.localcloud.network.documents import SHARED, AddressGroup
from calor.localcloud.network.kinds import DESCRIPTION, NAME, Attribute, Given, Kind, shown
from calor.localcloud.network.resources import (
    NetworkRoute,
    Resource,
    Views,
    action_on,
    project_members,
    routes_of,
)
from calor.localcloud.network.sharing import forget_sharing, sees_shared, shared_ones
from calor.localcloud.network.state import Networking
from calor.localcloud.network.viewer import Viewer
from calor.localcloud.problems import BadRequest, Conflict
from calor.localcloud.reading import listing


def _range(value: Any, where: str) -> str:
    return str(readers.network(value, where))


_ADDRESSES = listing(_range)
_CHANGE = readers.strict_shape({"addresses": _ADDRESSES})

KIND = Kind(
    "address_group",
    "address_groups",
    "AddressGroup",
    (NAME, DESCRIPTION, Attribute("addresses", _ADDRESSES, fixed=True), *shown("shared")),
)


def need_address_group(viewer: Viewer, id: str) -> AddressGroup:
    return ADDRESS_GROUPS.need(viewer, id)


def create_address_group(networking: Networking, viewer: Viewer, given: Given) -> AddressGroup:
    given["addresses"] = tuple(dict.fromkeys(given.get("addresses", ())))
    return networking.records.address_groups.add(networking.made(AddressGroup, given))


def update_address_group(
    networking: Networking, viewer: Viewer, group: AddressGroup, given: Given
) -> AddressGroup:
    return networking.keep(networking.records.address_groups, group, **given)


def delete_address_group(networking: Networking, viewer: Viewer, group: AddressGroup) -> None:
    records = networking.records
    if records.rules.count(remote_address_group_id=group.id):
        raise Conflict(f"Address group {group.id} is in use by security group rules.", "AddressGroupInUse")
    forget_sharing(records, group.id)
    records.address_groups.remove(group.id)


def add_addresses(
    networking: Networking, viewer: Viewer, group: AddressGroup, body: dict[str, Any]
) -> dict[str, Any]:
    given = _CHANGE(_inside(body), "The body")["addresses"]
    if known := set(given) & set(group.addresses):
        raise BadRequest(
            f"Address group {group.id} has {', '.join(sorted(known))} already.", "AddressesAlreadyExist"
        )
    return _changed(networking, viewer, group, (*group.addresses, *dict.fromkeys(given)))


def remove_addresses(
    networking: Networking, viewer: Viewer, group: AddressGroup, body: dict[str, Any]
) -> dict[str, Any]:
    given = set(_CHANGE(_inside(body), "The body")["addresses"])
    if unknown := given - set(group.addresses):
        raise BadRequest(
            f"Address group {group.id} has no {', '.join(sorted(unknown))}.", "AddressesNotFound"
        )
    left = tuple(each for each in group.addresses if each not in given)
    return _changed(networking, viewer, group, left)


def details(viewer: Viewer, groups: Sequence[AddressGroup]) -> Views:
    shared = viewer.granted("address_group", SHARED)
    return {group.id: {"shared": group.id in shared} for group in groups}


def _inside(body: dict[str, Any]) -> Any:
    return body.get("address_group", body)


def _changed(
    networking: Networking, viewer: Viewer, group: AddressGroup, addresses: tuple[str, ...]
) -> dict[str, Any]:
    records = networking.records
    changed = networking.keep(records.address_groups, group, addresses=addresses)
    for rule in records.rules.find(remote_address_group_id=group.id):
        networking.wiring.group(rule.security_group_id)
    return ADDRESS_GROUPS.body(viewer, changed)


ADDRESS_GROUPS: Resource[AddressGroup] = Resource(
    KIND,
    "/v2.0/address-groups",
    lambda records: records.address_groups,
    create=create_address_group,
    update=update_address_group,
    delete=delete_address_group,
    details=details,
    sees=sees_shared("address_group"),
    shared=shared_ones("address_group", lambda records: records.address_groups),
)

_ONE = "/v2.0/address-groups/{id}"

ROUTES = (
    *routes_of(ADDRESS_GROUPS),
    NetworkRoute("PUT", f"{_ONE}/add_addresses", action_on(ADDRESS_GROUPS, add_addresses), project_members),
    NetworkRoute(
        "PUT", f"{_ONE}/remove_addresses", action_on(ADDRESS_GROUPS, remove_addresses), project_members
    ),
)
