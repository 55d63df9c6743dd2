"""The range of a new subnet: as given, or from a subnet pool."""

from __future__ import annotations

from ipaddress import ip_network

from calor.localcloud.network.addresses import find_free_prefix, find_overlap
from calor.localcloud.network.kinds import Given
from calor.localcloud.network.problems import invalid
from calor.localcloud.network.records import Network, Records, SubnetPool
from calor.localcloud.network.service import NetworkService
from calor.localcloud.network.subnet_pools import need_pool
from calor.localcloud.network.viewer import Viewer
from calor.localcloud.problems import BadRequest, Conflict, NotFound


def choose_range(
    networking: NetworkService, viewer: Viewer, network: Network, given: Given
) -> tuple[str, str | None]:
    """The range and its pool. Removes parameters of the search from `given`."""
    cidr, length = given.pop("cidr", None), given.pop("prefixlen", None)
    pool = _pool(viewer, given.pop("subnetpool_id", None), given)
    if pool is None:
        if cidr is None:
            raise BadRequest("A subnet requires a cidr or a subnetpool_id.", "BadRequest")
        if length is not None:
            raise invalid("prefixlen requires a subnet pool.")
        if "ip_version" not in given:
            raise invalid("ip_version is required.")
        return cidr, None
    _check_siblings(networking.records, network, pool)
    taken = [each.cidr for each in networking.records.subnets.find(subnetpool_id=pool.id)]
    if cidr is not None:
        if length is not None:
            raise invalid("cidr and prefixlen are mutually exclusive.")
        _check_free(pool, cidr, taken)
    else:
        length = pool.default_prefixlen if length is None else length
        _check_length(pool, length)
        cidr = find_free_prefix(pool.prefixes, taken, length)
        if cidr is None:
            raise Conflict(
                f"Subnet pool {pool.id} has no free prefix of length {length}.", "SubnetAllocationError"
            )
    _check_quota(networking.records, pool, given["project_id"], cidr)
    return cidr, pool.id


def _pool(viewer: Viewer, pool_id: str | None, given: Given) -> SubnetPool | None:
    default = given.pop("use_default_subnetpool", False)
    if pool_id == "prefix_delegation":
        raise invalid("prefix delegation is not supported.")
    if pool_id:
        return need_pool(viewer, pool_id)
    if not default:
        return None
    version = given.get("ip_version", 4)
    pool = viewer.records.subnet_pools.first(is_default=True, ip_version=version)
    if pool is None:
        raise NotFound(f"No default subnet pool found for IPv{version}.", "NoDefaultSubnetPool")
    return pool


def _check_siblings(records: Records, network: Network, pool: SubnetPool) -> None:
    """All subnets of one IP version on a network must be from the same pool."""
    for sibling in records.subnets.find(network_id=network.id):
        if sibling.ip_version == pool.ip_version and sibling.subnetpool_id != pool.id:
            raise BadRequest(
                f"Network {network.id} has IPv{pool.ip_version} subnets that are not from pool {pool.id}.",
                "NetworkSubnetPoolAffinityError",
            )


def _check_free(pool: SubnetPool, cidr: str, taken: list[str]) -> None:
    span = ip_network(cidr)
    _check_length(pool, span.prefixlen)
    within = any(
        wide.version == span.version
        and int(wide.network_address) <= int(span.network_address)
        and int(span.broadcast_address) <= int(wide.broadcast_address)
        for wide in map(ip_network, pool.prefixes)
    )
    if not within or find_overlap(cidr, taken):
        raise Conflict(f"{cidr} is not available in subnet pool {pool.id}.", "SubnetAllocationError")


def _check_length(pool: SubnetPool, length: int) -> None:
    if length < pool.min_prefixlen:
        raise BadRequest(
            f"Subnet pool {pool.id} does not allow prefixes shorter than {pool.min_prefixlen}.",
            "MinPrefixSubnetAllocationError",
        )
    if length > pool.max_prefixlen:
        raise BadRequest(
            f"Subnet pool {pool.id} does not allow prefixes longer than {pool.max_prefixlen}.",
            "MaxPrefixSubnetAllocationError",
        )


def _check_quota(records: Records, pool: SubnetPool, project_id: str, cidr: str) -> None:
    """Counted in addresses for IPv4 and in ranges of 64 bits for IPv6."""
    if pool.default_quota is None:
        return
    unit = 32 if pool.ip_version == 4 else 64
    own = records.subnets.find(subnetpool_id=pool.id, project_id=project_id)
    used = sum(_weight(each.cidr, unit) for each in own)
    if used + _weight(cidr, unit) > pool.default_quota:
        raise Conflict(
            f"The project's quota in subnet pool {pool.id} is exceeded.", "SubnetPoolQuotaExceeded"
        )


def _weight(cidr: str, unit: int) -> int:
    return max(1, 1 << max(0, unit - ip_network(cidr).prefixlen))
