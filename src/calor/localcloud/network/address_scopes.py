"""Address scopes, in which subnet pools must not overlap."""

from __future__ import annotations

from collections.abc import Sequence

from calor.localcloud.network.kinds import NAME, SHARED_FLAG, Attribute, Given, Kind
from calor.localcloud.network.problems import invalid
from calor.localcloud.network.records import SHARED, AddressScope
from calor.localcloud.network.resources import Resource, Views, routes_of
from calor.localcloud.network.service import NetworkService
from calor.localcloud.network.sharing import forget_sharing, is_shared, sees_shared, share, shared_with
from calor.localcloud.network.viewer import Viewer
from calor.localcloud.problems import BadRequest, Conflict


def _version(value: object, where: str) -> int:
    if value not in (4, 6, "4", "6"):
        raise BadRequest(f"{where}: it must be 4 or 6.")
    return int(value)


KIND = Kind(
    "address_scope",
    "address_scopes",
    "AddressScope",
    (
        NAME,
        Attribute("ip_version", _version, fixed=True, required=True),
        SHARED_FLAG,
    ),
    format_time=False,
)


def need_scope(viewer: Viewer, id: str) -> AddressScope:
    return ADDRESS_SCOPES.need(viewer, id)


def create_scope(networking: NetworkService, viewer: Viewer, given: Given) -> AddressScope:
    shared = given.pop("shared", False)
    scope = networking.records.address_scopes.add(networking.new_record(AddressScope, given))
    if shared:
        share(networking.records, "address_scope", scope)
    return scope


def update_scope(
    networking: NetworkService, viewer: Viewer, scope: AddressScope, given: Given
) -> AddressScope:
    shared = given.pop("shared", None)
    if shared is True:
        share(networking.records, "address_scope", scope)
    elif shared is False and is_shared(networking.records, scope.id):
        raise invalid("a shared address scope cannot be made private.")
    return networking.save(networking.records.address_scopes, scope, **given)


def delete_scope(networking: NetworkService, viewer: Viewer, scope: AddressScope) -> None:
    records = networking.records
    if records.subnet_pools.count(address_scope_id=scope.id):
        raise Conflict(f"Address scope {scope.id} is in use by subnet pools.", "AddressScopeInUse")
    forget_sharing(records, scope.id)
    records.address_scopes.remove(scope.id)


def _details(viewer: Viewer, scopes: Sequence[AddressScope]) -> Views:
    shared = viewer.granted("address_scope", SHARED)
    return {scope.id: {"shared": scope.id in shared} for scope in scopes}


ADDRESS_SCOPES: Resource[AddressScope] = Resource(
    KIND,
    "/v2.0/address-scopes",
    lambda records: records.address_scopes,
    create=create_scope,
    update=update_scope,
    delete=delete_scope,
    details=_details,
    sees=sees_shared("address_scope"),
    shared=shared_with("address_scope", lambda records: records.address_scopes),
)

ROUTES = routes_of(ADDRESS_SCOPES)
