"""External gateways of routers."""

from __future__ import annotations

from dataclasses import replace

from calor.localcloud.network import requests
from calor.localcloud.network.kinds import Given
from calor.localcloud.network.port_changes import add_port, change_port, remove_port
from calor.localcloud.network.problems import forbidden
from calor.localcloud.network.qos import need_policy
from calor.localcloud.network.records import ROUTER_GATEWAY, Network, Router
from calor.localcloud.network.service import NetworkService
from calor.localcloud.network.viewer import Viewer
from calor.localcloud.problems import BadRequest, Conflict
from calor.localcloud.requests import listing, mapping, nullable
from calor.localcloud.types import Json

_FIELDS = requests.strict_shape(
    {},
    {
        "network_id": requests.uuid,
        "enable_snat": requests.flag,
        "external_fixed_ips": listing(
            requests.strict_shape(
                {}, {"subnet_id": nullable(requests.uuid), "ip_address": nullable(requests.address)}
            )
        ),
        "qos_policy_id": nullable(requests.uuid),
    },
)


def read_gateway(value: object, where: str) -> Given:
    """An empty object stands for no gateway."""
    read: Given = _FIELDS(mapping(value, where), where)
    if read and "network_id" not in read:
        raise BadRequest(f"{where}: 'network_id' is required.")
    return read


def set_gateway(networking: NetworkService, viewer: Viewer, router: Router, given: Given) -> Router:
    records = networking.records
    network = viewer.need_network(given["network_id"])
    _check_allowed(viewer, network, given)
    wanted = [
        {name: value for name, value in each.items() if value}
        for each in given.get("external_fixed_ips", ())
        if any(each.values())
    ]
    changes: Json = {
        "enable_snat": given.get("enable_snat", True),
        "gateway_qos_policy_id": given.get("qos_policy_id"),
        "gateway_network_id": network.id,
    }
    same = router.gateway_network_id == network.id
    if router.gateway_port_id and same:
        if wanted:
            port = records.ports.get(router.gateway_port_id)
            assert port is not None
            change_port(networking, port, wanted)
    else:
        router = clear_gateway(networking, router)
        port = add_port(
            networking,
            network,
            wanted or None,
            project_id="",
            device_id=router.id,
            device_owner=ROUTER_GATEWAY,
            port_security_enabled=False,
            status="ACTIVE",
        )
        changes["gateway_port_id"] = port.id
    networking.backend_sync.router(router.id)
    return networking.save(records.routers, router, **changes)


def clear_gateway(networking: NetworkService, router: Router) -> Router:
    records = networking.records
    if router.gateway_port_id is None:
        return router
    if records.floating_ips.count(router_id=router.id):
        raise Conflict(
            f"The gateway of router {router.id} is in use by floating IPs.",
            "RouterExternalGatewayInUseByFloatingIp",
        )
    port = records.ports.get(router.gateway_port_id)
    if port:
        remove_port(networking, port)
    networking.backend_sync.router(router.id)
    cleared = replace(
        router, gateway_port_id=None, gateway_network_id=None, enable_snat=True, gateway_qos_policy_id=None
    )
    return networking.save(records.routers, cleared)


def _check_allowed(viewer: Viewer, network: Network, given: Given) -> None:
    if not network.external:
        raise BadRequest(f"Network {network.id} is not an external network.", "BadRequest")
    if not viewer.admin:
        for name in ("enable_snat", "external_fixed_ips"):
            if name in given:
                raise forbidden(f"external_gateway_info:{name}")
    if given.get("qos_policy_id"):
        need_policy(viewer, given["qos_policy_id"])
