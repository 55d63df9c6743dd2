"""Allocates and releases addresses of subnets.

Which addresses are taken is in the store; the numbers of those of subnets in use are also in memory, so that the next
free one is found without reading them. Who changes something does so within `NetworkService.change`, which forgets what
was remembered if it fails.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from calor.localcloud.network.addresses import find_next_free, format_address, to_number
from calor.localcloud.network.records import Allocation, Records, Subnet
from calor.localcloud.problems import Conflict
from calor.localcloud.store import Duplicate


@dataclass
class _SubnetUsage:
    taken: set[int]
    last: int = -1
    """The address allocated last: the search continues after it, so that no address is reused at once."""


@dataclass
class Ipam:
    records: Records
    _ledgers: dict[str, _SubnetUsage] = field(default_factory=dict)
    _touched: set[str] = field(default_factory=set)

    def take_next(self, subnet: Subnet, port_id: str) -> str | None:
        """Allocates a free address of the subnet's pools; None if there is none."""
        ledger = self._usage(subnet.id)
        pools = sorted((to_number(pool["start"]), to_number(pool["end"])) for pool in subnet.allocation_pools)
        number = find_next_free(pools, ledger.taken, ledger.last)
        if number is None:
            return None
        ledger.last = number
        return self.take(subnet, format_address(number, subnet.ip_version), port_id)

    def take(self, subnet: Subnet, address: str, port_id: str) -> str:
        """Allocates a specific address, within the pools or not."""
        allocation = Allocation(_id(subnet.id, address), subnet.id, subnet.network_id, port_id, address)
        try:
            self.records.allocations.add(allocation)
        except Duplicate:
            raise Conflict(
                f"IP address {address} already allocated in subnet {subnet.id}.", "IpAddressAlreadyAllocated"
            ) from None
        self._usage(subnet.id).taken.add(to_number(address))
        return address

    def release(self, subnet_id: str, address: str) -> None:
        self.records.allocations.remove(_id(subnet_id, address))
        self._usage(subnet_id).taken.discard(to_number(address))

    def holder(self, subnet_id: str, address: str) -> str | None:
        """The port that has an address."""
        found = self.records.allocations.get(_id(subnet_id, address))
        return found.port_id if found else None

    def close(self, subnet_id: str) -> None:
        """To be called when the subnet is deleted."""
        self.records.allocations.remove_where(subnet_id=subnet_id)
        self._ledgers.pop(subnet_id, None)

    def finish(self, kept: bool) -> None:
        """What was touched since the last time is in the store, or has been taken back there."""
        if not kept:
            for subnet_id in self._touched:
                self._ledgers.pop(subnet_id, None)
        self._touched.clear()

    def _usage(self, subnet_id: str) -> _SubnetUsage:
        self._touched.add(subnet_id)
        if subnet_id not in self._ledgers:
            taken = {to_number(each.address) for each in self.records.allocations.find(subnet_id=subnet_id)}
            self._ledgers[subnet_id] = _SubnetUsage(taken)
        return self._ledgers[subnet_id]


def _id(subnet_id: str, address: str) -> str:
    return f"{subnet_id} {address}"
