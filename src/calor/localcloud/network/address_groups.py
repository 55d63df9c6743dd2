"""Address groups: lists of ranges that security group rules refer to."""

from __future__ import annotations

from collections.abc import Sequence

from calor.localcloud.network import requests
from calor.localcloud.network.kinds import DESCRIPTION, NAME, Attribute, Given, Kind, shown
from calor.localcloud.network.policy import project_members
from calor.localcloud.network.records import SHARED, AddressGroup
from calor.localcloud.network.resources import Resource, Views, action_on, routes_of
from calor.localcloud.network.service import NetworkService
from calor.localcloud.network.sharing import forget_sharing, sees_shared, shared_with
from calor.localcloud.network.viewer import Viewer
from calor.localcloud.problems import BadRequest, Conflict
from calor.localcloud.requests import listing
from calor.localcloud.routes import ServiceRoute
from calor.localcloud.types import Json


def _range(value: object, where: str) -> str:
    return str(requests.network(value, where))


_MOST_ADDRESSES = 1000
_ADDRESSES = listing(_range, longest=_MOST_ADDRESSES)
_CHANGE = requests.strict_shape({"addresses": _ADDRESSES})

KIND = Kind(
    "address_group",
    "address_groups",
    "AddressGroup",
    (NAME, DESCRIPTION, Attribute("addresses", _ADDRESSES, fixed=True), *shown("shared")),
)


def need_address_group(viewer: Viewer, id: str) -> AddressGroup:
    return ADDRESS_GROUPS.need(viewer, id)


def create_address_group(networking: NetworkService, viewer: Viewer, given: Given) -> AddressGroup:
    given["addresses"] = tuple(dict.fromkeys(given.get("addresses", ())))
    return networking.records.address_groups.add(networking.new_record(AddressGroup, given))


def update_address_group(
    networking: NetworkService, viewer: Viewer, group: AddressGroup, given: Given
) -> AddressGroup:
    return networking.save(networking.records.address_groups, group, **given)


def delete_address_group(networking: NetworkService, viewer: Viewer, group: AddressGroup) -> None:
    records = networking.records
    if records.rules.count(remote_address_group_id=group.id):
        raise Conflict(f"Address group {group.id} is in use by security group rules.", "AddressGroupInUse")
    forget_sharing(records, group.id)
    records.address_groups.remove(group.id)


def add_addresses(networking: NetworkService, viewer: Viewer, group: AddressGroup, body: Json) -> Json:
    given = _CHANGE(_inside(body), "The body")["addresses"]
    if known := set(given) & set(group.addresses):
        raise BadRequest(
            f"Address group {group.id} already contains {', '.join(sorted(known))}.", "AddressesAlreadyExist"
        )
    addresses = (*group.addresses, *dict.fromkeys(given))
    if len(addresses) > _MOST_ADDRESSES:
        raise BadRequest(f"An address group has at most {_MOST_ADDRESSES} addresses.")
    return _changed(networking, viewer, group, addresses)


def remove_addresses(networking: NetworkService, viewer: Viewer, group: AddressGroup, body: Json) -> Json:
    given = set(_CHANGE(_inside(body), "The body")["addresses"])
    if unknown := given - set(group.addresses):
        raise BadRequest(
            f"Address group {group.id} does not contain {', '.join(sorted(unknown))}.", "AddressesNotFound"
        )
    left = tuple(each for each in group.addresses if each not in given)
    return _changed(networking, viewer, group, left)


def details(viewer: Viewer, groups: Sequence[AddressGroup]) -> Views:
    shared = viewer.granted("address_group", SHARED)
    return {group.id: {"shared": group.id in shared} for group in groups}


def _inside(body: Json) -> object:
    return body.get("address_group", body)


def _changed(
    networking: NetworkService, viewer: Viewer, group: AddressGroup, addresses: tuple[str, ...]
) -> Json:
    records = networking.records
    changed = networking.save(records.address_groups, group, addresses=addresses)
    for rule in records.rules.find(remote_address_group_id=group.id):
        networking.backend_sync.group(rule.security_group_id)
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
    shared=shared_with("address_group", lambda records: records.address_groups),
)

_ONE = "/v2.0/address-groups/{id}"

ROUTES = (
    *routes_of(ADDRESS_GROUPS),
    ServiceRoute("PUT", f"{_ONE}/add_addresses", action_on(ADDRESS_GROUPS, add_addresses), project_members),
    ServiceRoute(
        "PUT", f"{_ONE}/remove_addresses", action_on(ADDRESS_GROUPS, remove_addresses), project_members
    ),
)
