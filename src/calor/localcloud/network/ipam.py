"""Hands out the addresses of subnets and takes them back.

Which addresses are taken is in the store; the numbers of those of subnets in use are also in memory, so that the next
free one is found without reading them. Who changes something does so within `Networking.change`, which forgets what
was remembered if it fails.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from calor.localcloud.network.addresses import as_number, next_free, spelled
from calor.localcloud.network.documents import Allocation, Subnet
from calor.localcloud.network.records import Records
from calor.localcloud.problems import Conflict
from calor.localcloud.store import Duplicate


@dataclass
class _Ledger:
    taken: set[int]
    last: int = -1
    """The address handed out last: the search goes on behind it, so that no address comes back at once."""


@dataclass
class Ipam:
    records: Records
    _ledgers: dict[str, _Ledger] = field(default_factory=dict)
    _touched: set[str] = field(default_factory=set)

    def take_next(self, subnet: Subnet, port_id: str) -> str | None:
        """A free address of the subnet's pools, or None where there is none left."""
        ledger = self._ledger(subnet.id)
        pools = sorted((as_number(pool["start"]), as_number(pool["end"])) for pool in subnet.allocation_pools)
        number = next_free(pools, ledger.taken, ledger.last)
        if number is None:
            return None
        ledger.last = number
        return self.take(subnet, spelled(number, subnet.ip_version), port_id)

    def take(self, subnet: Subnet, address: str, port_id: str) -> str:
        """This very address, of the pools or not."""
        allocation = Allocation(_id(subnet.id, address), subnet.id, subnet.network_id, port_id, address)
        try:
            self.records.allocations.add(allocation)
        except Duplicate:
            raise Conflict(
                f"The address {address} of subnet {subnet.id} is taken.", "IpAddressAlreadyAllocated"
            ) from None
        self._ledger(subnet.id).taken.add(as_number(address))
        return address

    def give_back(self, subnet_id: str, address: str) -> None:
        self.records.allocations.remove(_id(subnet_id, address))
        self._ledger(subnet_id).taken.discard(as_number(address))

    def holder(self, subnet_id: str, address: str) -> str | None:
        """The port that has an address."""
        found = self.records.allocations.get(_id(subnet_id, address))
        return found.port_id if found else None

    def close(self, subnet_id: str) -> None:
        """The subnet is gone."""
        self.records.allocations.remove_where(subnet_id=subnet_id)
        self._ledgers.pop(subnet_id, None)

    def settled(self, kept: bool) -> None:
        """What was touched since the last time is in the store, or has been taken back there."""
        if not kept:
            for subnet_id in self._touched:
                self._ledgers.pop(subnet_id, None)
        self._touched.clear()

    def _ledger(self, subnet_id: str) -> _Ledger:
        self._touched.add(subnet_id)
        if subnet_id not in self._ledgers:
            taken = {as_number(each.address) for each in self.records.allocations.find(subnet_id=subnet_id)}
            self._ledgers[subnet_id] = _Ledger(taken)
        return self._ledgers[subnet_id]


def _id(subnet_id: str, address: str) -> str:
    return f"{subnet_id} {address}"
