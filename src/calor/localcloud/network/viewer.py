"""What a caller can see and use: objects of their project, and shared ones."""

from __future__ import annotations

from functools import cached_property
from typing import Protocol

from calor.localcloud.caller import Caller
from calor.localcloud.network.problems import forbidden, missing
from calor.localcloud.network.records import EVERYBODY, EXTERNAL, SHARED, Network, Port, Records, Subnet
from calor.localcloud.store import Document


class Owned(Document, Protocol):
    @property
    def project_id(self) -> str: ...


class Viewer:
    """The caller of one request. What is shared with them is read once."""

    def __init__(self, records: Records, caller: Caller) -> None:
        self.records = records
        self.caller = caller
        self._granted: dict[str, list[tuple[str, str]]] = {}

    @property
    def admin(self) -> bool:
        return self.caller.is_admin

    @property
    def project_id(self) -> str:
        return self.caller.project_id or ""

    def owns(self, document: Owned) -> bool:
        return self.admin or (bool(self.project_id) and document.project_id == self.project_id)

    def granted(self, object_type: str, *actions: str) -> set[str]:
        """The ids of objects of a type that are shared with the project for an action."""
        if object_type not in self._granted:
            found = self.records.rbac.find_in(
                "target_tenant", [EVERYBODY, self.project_id], object_type=object_type
            )
            self._granted[object_type] = [(each.action, each.object_id) for each in found]
        return {id for action, id in self._granted[object_type] if action in actions}

    def uses(self, network: Network) -> bool:
        """Whether the caller may put ports and subnets' addresses there."""
        return self.owns(network) or network.id in self.granted("network", SHARED)

    def sees_network(self, network: Network) -> bool:
        return self.owns(network) or network.id in self.granted("network", SHARED, EXTERNAL)

    def sees_subnet(self, subnet: Subnet) -> bool:
        return (
            self.owns(subnet)
            or subnet.network_id in self.granted("network", SHARED)
            or subnet.network_id in self.own_networks
        )

    def sees_port(self, port: Port) -> bool:
        """The owner of a network sees all its ports."""
        return self.owns(port) or port.network_id in self.own_networks

    @cached_property
    def own_networks(self) -> frozenset[str]:
        if not self.project_id:
            return frozenset()
        return frozenset(each.id for each in self.records.networks.find(project_id=self.project_id))

    def need_network(self, id: str) -> Network:
        network = self.records.networks.get(id)
        if network is None or not self.sees_network(network):
            raise missing("Network", id)
        return network

    def need_subnet(self, id: str) -> Subnet:
        subnet = self.records.subnets.get(id)
        if subnet is None or not self.sees_subnet(subnet):
            raise missing("Subnet", id)
        return subnet

    def need_port(self, id: str) -> Port:
        port = self.records.ports.get(id)
        if port is None or not self.sees_port(port):
            raise missing("Port", id)
        return port

    def need_own_port(self, id: str, action: str) -> Port:
        """For what attaches a port or leads to it: the owner of its network may look at it only."""
        port = self.need_port(id)
        self.check_owns(port, action)
        return port

    def check_owns(self, document: Owned, action: str) -> None:
        if not self.owns(document):
            raise forbidden(action)

    def check_uses(self, network: Network, action: str) -> None:
        if not self.uses(network):
            raise forbidden(action)
