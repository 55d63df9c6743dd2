"""The address scopes that networks are in, by the pools of their subnets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from calor.localcloud.network.records import Records, Subnet, by_id


def scopes_of(
    records: Records, subnets: Mapping[str, Sequence[Subnet]]
) -> Mapping[str, Mapping[str, str | None]]:
    """Of networks, by id, from their subnets."""
    pool_ids = {each.subnetpool_id for group in subnets.values() for each in group if each.subnetpool_id}
    pools = by_id(records.subnet_pools, pool_ids)
    found: dict[str, dict[str, str | None]] = {}
    for network_id, group in subnets.items():
        scopes: dict[str, str | None] = {"ipv4_address_scope": None, "ipv6_address_scope": None}
        for subnet in group:
            pool = pools.get(subnet.subnetpool_id or "")
            if pool and pool.address_scope_id:
                scopes[f"ipv{subnet.ip_version}_address_scope"] = pool.address_scope_id
        found[network_id] = scopes
    return found
