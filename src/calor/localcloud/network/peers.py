"""What the network service offers to the other services."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from calor.localcloud.backend import PortPlan
from calor.localcloud.caller import Caller
from calor.localcloud.network.plans import Planner
from calor.localcloud.network.port_changes import activate_later, add_port, change_port, remove_port
from calor.localcloud.network.problems import missing
from calor.localcloud.network.quotas import check_quota
from calor.localcloud.network.records import COMPUTE, EVERYBODY, HOST, SHARED, Port, by_id
from calor.localcloud.network.security_groups import ensure_default
from calor.localcloud.network.service import NetworkService
from calor.localcloud.network.viewer import Viewer
from calor.localcloud.peers import FixedAddress, ServerPort
from calor.localcloud.problems import Conflict


class NetworkPeer:
    """Implements `Networks`."""

    def __init__(self, service: NetworkService) -> None:
        self._service = service

    def default_networks(self, caller: Caller) -> Sequence[str]:
        viewer, records = self._viewer(caller), self._service.records
        own = [each for each in records.networks.find(project_id=viewer.project_id) if not each.external]
        # Not networks shared with this project alone: otherwise any project could attract the servers of others.
        policies = records.rbac.find(object_type="network", action=SHARED, target_tenant=EVERYBODY)
        shared = sorted(policy.object_id for policy in policies)
        for choices in (own, [each for each in records.networks.find_in("id", shared) if not each.external]):
            with_subnets = {
                each.network_id
                for each in records.subnets.find_in("network_id", [network.id for network in choices])
            }
            if with_subnets:
                return [network.id for network in choices if network.id in with_subnets]
        return []

    def need_network(self, caller: Caller, network_id: str) -> str:
        viewer = self._viewer(caller)
        network = viewer.need_network(network_id)
        if not viewer.uses(network):
            raise missing("Network", network_id)
        return network.id

    def create_port(
        self,
        caller: Caller,
        network_id: str,
        device_id: str,
        *,
        address: str | None = None,
        security_groups: Sequence[str] | None = None,
        zone: str = "nova",
    ) -> ServerPort:
        networking = self._service
        network = self._viewer(caller).need_network(self.need_network(caller, network_id))
        project_id = caller.project_id or ""
        with networking.change():
            check_quota(networking.records, "port", project_id, networking.records.ports)
            guarded = network.port_security_enabled
            port = add_port(
                networking,
                network,
                [{"ip_address": address}] if address else None,
                project_id=project_id,
                device_id=device_id,
                device_owner=f"{COMPUTE}{zone}",
                host_id=HOST,
                made_for_server=True,
                place=self._next_place(device_id),
                port_security_enabled=guarded,
                security_groups=self._groups(caller, security_groups) if guarded else (),
            )
        activate_later(self._service, port)
        return self._shown([port])[0]

    def claim_port(self, caller: Caller, port_id: str, device_id: str, zone: str = "nova") -> ServerPort:
        networking = self._service
        viewer = self._viewer(caller)
        port = viewer.need_own_port(port_id, "update_port:device_id")
        viewer.check_uses(viewer.need_network(port.network_id), "update_port:device_id")
        if port.device_id not in ("", device_id):
            raise Conflict(f"Port {port.id} is in use by {port.device_id}.", "PortInUse")
        with networking.change():
            taken = change_port(
                networking,
                port,
                device_id=device_id,
                device_owner=f"{COMPUTE}{zone}",
                host_id=HOST,
                place=self._next_place(device_id),
            )
        activate_later(self._service, taken)
        return self._shown([taken])[0]

    def release_port(self, port_id: str) -> None:
        networking = self._service
        port = networking.records.ports.get(port_id)
        if port is None:
            return
        with networking.change():
            if port.made_for_server:
                remove_port(networking, port)
            else:
                change_port(
                    networking, port, device_id="", device_owner="", host_id="", place=0, status="DOWN"
                )

    def ports_of(self, device_id: str) -> Sequence[ServerPort]:
        return self._shown(self._server_ports([device_id]))

    def ports_of_all(self, device_ids: Sequence[str]) -> Mapping[str, Sequence[ServerPort]]:
        found: dict[str, list[ServerPort]] = {id: [] for id in device_ids}
        for port in self._shown(self._server_ports(device_ids)):
            found[port.device_id].append(port)
        return found

    def set_groups(self, caller: Caller, device_id: str, groups: Sequence[str]) -> None:
        with self._service.change():
            wanted = self._groups(caller, groups)
            for port in self._server_ports([device_id]):
                change_port(self._service, port, security_groups=wanted)

    def plan_of(self, port_id: str) -> PortPlan:
        port = self._service.records.ports.get(port_id)
        if port is None:
            raise missing("Port", port_id)
        planner = Planner(
            self._service.records, permissions=self._service.context.backend.needs_network_plans
        )
        return planner.port(port)

    async def wait_until_synced(self) -> None:
        await self._service.backend_sync.wait_until_synced()

    def owner_of_address(self, network_id: str, address: str) -> str | None:
        records = self._service.records
        for allocation in records.allocations.find(address=address):
            if allocation.network_id == network_id:
                port = records.ports.get(allocation.port_id)
                return port.device_id if port and port.in_server else None
        return None

    def all_network_ids(self) -> frozenset[str]:
        return frozenset(each.id for each in self._service.records.networks.find())

    def all_router_ids(self) -> frozenset[str]:
        return frozenset(each.id for each in self._service.records.routers.find())

    def _viewer(self, caller: Caller) -> Viewer:
        return Viewer(self._service.records, caller)

    def _server_ports(self, device_ids: Sequence[str]) -> list[Port]:
        found = self._service.records.ports.find_in("device_id", device_ids)
        ports = [port for port in found if port.in_server]
        return sorted(ports, key=lambda port: port.place)

    def _next_place(self, device_id: str) -> int:
        return max((port.place + 1 for port in self._server_ports([device_id])), default=0)

    def _groups(self, caller: Caller, wanted: Sequence[str] | None) -> tuple[str, ...]:
        """The ids of security groups given by id or name."""
        records, viewer = self._service.records, self._viewer(caller)
        if wanted is None:
            return (ensure_default(self._service, viewer.project_id).id,)
        found: dict[str, None] = {}
        for each in wanted:
            group = records.groups.get(each)
            if group and (viewer.owns(group) or group.id in viewer.granted("security_group", SHARED)):
                found[group.id] = None
                continue
            if each == "default":
                ensure_default(self._service, viewer.project_id)
            named = records.groups.find(project_id=viewer.project_id, name=each)
            if not named:
                raise missing("SecurityGroup", each)
            if len(named) > 1:
                raise Conflict(f"Multiple security groups match the name {each}.", "NoUniqueMatch")
            found[named[0].id] = None
        return tuple(found)

    def _shown(self, ports: Sequence[Port]) -> list[ServerPort]:
        records = self._service.records
        networks = by_id(records.networks, {port.network_id for port in ports})
        groups = by_id(records.groups, {group for port in ports for group in port.security_groups})
        floating: dict[str, list[str]] = {port.id: [] for port in ports}
        for each in records.floating_ips.find_in("port_id", list(floating)):
            floating[str(each.port_id)].append(each.floating_ip_address)
        return [
            ServerPort(
                port.id,
                port.network_id,
                networks[port.network_id].name,
                port.mac_address,
                tuple(FixedAddress(fixed["subnet_id"], fixed["ip_address"]) for fixed in port.fixed_ips),
                tuple(floating[port.id]),
                tuple(groups[group].name for group in port.security_groups),
                port.device_id,
            )
            for port in ports
        ]
