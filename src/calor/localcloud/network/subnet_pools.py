"""Subnet pools: prefixes from which ranges of subnets are allocated."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from ipaddress import IPv4Network, IPv6Network, collapse_addresses, ip_network

from calor.localcloud.network import requests
from calor.localcloud.network.address_scopes import need_scope
from calor.localcloud.network.addresses import find_overlap
from calor.localcloud.network.kinds import DESCRIPTION, Attribute, Given, Kind, shown
from calor.localcloud.network.policy import project_members
from calor.localcloud.network.problems import invalid
from calor.localcloud.network.records import SHARED, SubnetPool
from calor.localcloud.network.resources import Resource, Views, action_on, routes_of
from calor.localcloud.network.service import NetworkService
from calor.localcloud.network.sharing import forget_sharing, sees_shared, share, shared_with
from calor.localcloud.network.viewer import Viewer
from calor.localcloud.problems import BadRequest, Conflict
from calor.localcloud.requests import listing, nullable
from calor.localcloud.routes import ServiceRoute
from calor.localcloud.types import Json

_LENGTH = requests.whole(0, 128)
_PREFIXES = listing(requests.cidr)
_CHANGE = requests.strict_shape({"prefixes": _PREFIXES})
_SHORTEST = {4: 8, 6: 64}

KIND = Kind(
    "subnetpool",
    "subnetpools",
    "SubnetPool",
    (
        Attribute("name", requests.name, required=True),
        DESCRIPTION,
        Attribute("prefixes", _PREFIXES, required=True),
        Attribute("min_prefixlen", _LENGTH),
        Attribute("max_prefixlen", _LENGTH),
        Attribute("default_prefixlen", _LENGTH),
        Attribute("default_quota", nullable(requests.whole(0, 2**62))),
        Attribute("address_scope_id", nullable(requests.uuid)),
        Attribute("is_default", requests.flag, admins=True, default=False),
        Attribute("shared", requests.flag, fixed=True, admins=True, default=False),
        *shown("ip_version"),
    ),
)


def need_pool(viewer: Viewer, id: str) -> SubnetPool:
    return SUBNET_POOLS.need(viewer, id)


def create_pool(networking: NetworkService, viewer: Viewer, given: Given) -> SubnetPool:
    records = networking.records
    shared = given.pop("shared", False)
    prefixes = merge_prefixes(given["prefixes"])
    version = ip_network(prefixes[0]).version
    shortest = given.setdefault("min_prefixlen", _SHORTEST[version])
    given.setdefault("max_prefixlen", 32 if version == 4 else 128)
    given.setdefault("default_prefixlen", shortest)
    pool = networking.new_record(SubnetPool, {**given, "prefixes": prefixes, "ip_version": version})
    _check(networking, viewer, pool)
    if pool.is_default:
        _check_only_default(networking, pool)
    records.subnet_pools.add(pool)
    if shared:
        share(records, "subnetpool", pool)
    return pool


def update_pool(networking: NetworkService, viewer: Viewer, pool: SubnetPool, given: Given) -> SubnetPool:
    if "prefixes" in given:
        given["prefixes"] = merge_prefixes(given["prefixes"])
        if not _covers(given["prefixes"], pool.prefixes):
            raise BadRequest("Prefixes can only be added in this way.", "IllegalSubnetPoolPrefixUpdate")
    if given.get("is_default") and not pool.is_default:
        _check_only_default(networking, pool)
    changed = networking.save(networking.records.subnet_pools, pool, **given)
    _check(networking, viewer, changed)
    return changed


def delete_pool(networking: NetworkService, viewer: Viewer, pool: SubnetPool) -> None:
    records = networking.records
    if records.subnets.count(subnetpool_id=pool.id):
        raise Conflict(f"Subnet pool {pool.id} is in use by subnets.", "SubnetPoolInUse")
    forget_sharing(records, pool.id)
    records.subnet_pools.remove(pool.id)


def add_prefixes(networking: NetworkService, viewer: Viewer, pool: SubnetPool, body: Json) -> Json:
    given = _CHANGE(body, "The body")["prefixes"]
    changed = networking.save(
        networking.records.subnet_pools, pool, prefixes=merge_prefixes((*pool.prefixes, *given))
    )
    _check(networking, viewer, changed)
    return {"prefixes": changed.prefixes}


def remove_prefixes(networking: NetworkService, viewer: Viewer, pool: SubnetPool, body: Json) -> Json:
    given = _CHANGE(body, "The body")["prefixes"]
    records = networking.records
    used = [each.cidr for each in records.subnets.find(subnetpool_id=pool.id)]
    left = list(map(ip_network, pool.prefixes))
    for prefix in given:
        if find_overlap(prefix, used):
            raise Conflict(f"Subnets have ranges of {prefix}.", "IllegalSubnetPoolPrefixUpdate")
        left = [rest for span in left for rest in _without(span, ip_network(prefix))]
    if not left:
        raise invalid("a subnet pool cannot be without prefixes.")
    changed = networking.save(records.subnet_pools, pool, prefixes=merge_prefixes(map(str, left)))
    return {"prefixes": changed.prefixes}


def merge_prefixes(prefixes: Iterable[str]) -> tuple[str, ...]:
    """Merges adjacent ranges."""
    spans = [ip_network(prefix) for prefix in prefixes]
    if not spans:
        raise BadRequest("A subnet pool needs prefixes.", "MissingPrefixes")
    if len({span.version for span in spans}) > 1:
        raise BadRequest("The prefixes of a subnet pool are of one version.", "PrefixVersionMismatch")
    narrow = [span for span in spans if isinstance(span, IPv4Network)]
    wide = [span for span in spans if isinstance(span, IPv6Network)]
    return tuple(str(span) for span in (*collapse_addresses(narrow), *collapse_addresses(wide)))


def _without(
    span: IPv4Network | IPv6Network, removed: IPv4Network | IPv6Network
) -> list[IPv4Network | IPv6Network]:
    if span.version != removed.version or not span.overlaps(removed):
        return [span]
    if removed.prefixlen <= span.prefixlen:
        return []
    return list(span.address_exclude(removed))  # type: ignore[arg-type]


def _covers(prefixes: Sequence[str], others: Sequence[str]) -> bool:
    return merge_prefixes((*prefixes, *others)) == tuple(prefixes)


def _check(networking: NetworkService, viewer: Viewer, pool: SubnetPool) -> None:
    longest = 32 if pool.ip_version == 4 else 128
    if not pool.min_prefixlen <= pool.default_prefixlen <= pool.max_prefixlen <= longest:
        raise BadRequest(
            f"The prefix lengths {pool.min_prefixlen} (least), {pool.default_prefixlen} (default) and"
            f" {pool.max_prefixlen} (most) do not fit each other.",
            "IllegalSubnetPoolPrefixBounds",
        )
    if pool.address_scope_id is None:
        return
    scope = need_scope(viewer, pool.address_scope_id)
    if scope.ip_version != pool.ip_version:
        raise BadRequest(
            f"Address scope {scope.id} is not of IPv{pool.ip_version}.",
            "IllegalSubnetPoolIpVersionAssociation",
        )
    others = networking.records.subnet_pools.find(address_scope_id=scope.id)
    theirs = [prefix for other in others if other.id != pool.id for prefix in other.prefixes]
    if any(find_overlap(prefix, theirs) for prefix in pool.prefixes):
        raise Conflict(
            f"Another subnet pool of address scope {scope.id} has addresses in common.",
            "AddressScopePrefixConflict",
        )


def _check_only_default(networking: NetworkService, pool: SubnetPool) -> None:
    if networking.records.subnet_pools.count(is_default=True, ip_version=pool.ip_version):
        raise BadRequest(f"There is a default subnet pool for IPv{pool.ip_version} already.", "InvalidInput")


def _details(viewer: Viewer, pools: Sequence[SubnetPool]) -> Views:
    shared = viewer.granted("subnetpool", SHARED)
    return {pool.id: {"shared": pool.id in shared} for pool in pools}


SUBNET_POOLS: Resource[SubnetPool] = Resource(
    KIND,
    "/v2.0/subnetpools",
    lambda records: records.subnet_pools,
    create=create_pool,
    update=update_pool,
    delete=delete_pool,
    details=_details,
    sees=sees_shared("subnetpool"),
    shared=shared_with("subnetpool", lambda records: records.subnet_pools),
    quota="subnetpool",
)

_ONE = "/v2.0/subnetpools/{id}"

ROUTES = (
    *routes_of(SUBNET_POOLS),
    ServiceRoute("PUT", f"{_ONE}/add_prefixes", action_on(SUBNET_POOLS, add_prefixes), project_members),
    ServiceRoute("PUT", f"{_ONE}/remove_prefixes", action_on(SUBNET_POOLS, remove_prefixes), project_members),
)
