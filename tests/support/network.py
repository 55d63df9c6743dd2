"""Someone who works with the networks of a cloud."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.support.cloud import Cloud

_PATHS = {
    "policy": "qos/policies",
    "security_group": "security-groups",
    "security_group_rule": "security-group-rules",
    "address_scope": "address-scopes",
    "address_group": "address-groups",
    "rbac_policy": "rbac-policies",
    "metering_label": "metering/metering-labels",
    "metering_label_rule": "metering/metering-label-rules",
}


@dataclass
class Networks:
    cloud: Cloud
    user: str = "demo"

    def call(self, method: str, path: str, body: Any = None, user: str = "", **more: Any) -> Any:
        headers = {"X-Auth-Token": self.cloud.token_of(user or self.user), **more.pop("headers", {})}
        return self.cloud.client.request(method, f"/network/v2.0/{path}", json=body, headers=headers, **more)

    def get(self, path: str, user: str = "") -> Any:
        answer = self.call("GET", path, user=user)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def try_to_make(self, kind: str, user: str = "", **members: Any) -> Any:
        return self.call("POST", _PATHS.get(kind, f"{kind}s"), {kind: members}, user)

    def make(self, kind: str, user: str = "", **members: Any) -> dict[str, Any]:
        answer = self.try_to_make(kind, user, **members)
        assert answer.status_code == 201, answer.text
        made: dict[str, Any] = answer.json()[kind]
        return made

    def change(self, kind: str, id: str, user: str = "", **members: Any) -> Any:
        return self.call("PUT", f"{_PATHS.get(kind, f'{kind}s')}/{id}", {kind: members}, user)

    def show(self, kind: str, id: str, user: str = "") -> dict[str, Any]:
        found: dict[str, Any] = self.get(f"{_PATHS.get(kind, f'{kind}s')}/{id}", user)[kind]
        return found

    def delete(self, kind: str, id: str, user: str = "") -> Any:
        return self.call("DELETE", f"{_PATHS.get(kind, f'{kind}s')}/{id}", user=user)

    def subnet(self, cidr: str = "10.5.0.0/24", network_id: str = "", **members: Any) -> dict[str, Any]:
        """A new subnet, on a network of its own unless one is given."""
        network_id = network_id or self.make("network", members.get("user", ""))["id"]
        version = 6 if ":" in cidr else 4
        return self.make("subnet", network_id=network_id, cidr=cidr, ip_version=version, **members)

    def named(self, plural: str, name: str, user: str = "") -> dict[str, Any]:
        [found] = self.get(f"{plural}?name={name}", user)[plural.replace("-", "_")]
        return dict(found)

    def routed_port(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """A port, and the router that connects it with the external network."""
        subnet = self.subnet()
        public = self.named("networks", "public")
        router = self.make("router", external_gateway_info={"network_id": public["id"]})
        answer = self.call("PUT", f"routers/{router['id']}/add_router_interface", {"subnet_id": subnet["id"]})
        assert answer.status_code == 200, answer.text
        return self.make("port", network_id=subnet["network_id"]), router


def problem(answer: Any) -> tuple[int, str]:
    """The status of an answer, and the type of error it tells."""
    return answer.status_code, answer.json()["NeutronError"]["type"]


def addresses(port: dict[str, Any]) -> list[str]:
    return [fixed["ip_address"] for fixed in port["fixed_ips"]]
