"""Someone who works with the servers of a cloud."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from tests.support.cloud import Cloud

PATIENCE = 30.0


@dataclass
class Computing:
    cloud: Cloud
    user: str = "demo"
    version: str = "2.1"

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        service: str = "compute/v2.1",
        version: str | None = None,
        user: str | None = None,
        **more: Any,
    ) -> Any:
        headers = {
            "X-Auth-Token": self.cloud.token_of(user or self.user),
            "OpenStack-API-Version": f"compute {version or self.version}",
        }
        return self.cloud.client.request(method, f"/{service}{path}", json=body, headers=headers, **more)

    def get(self, path: str, **more: Any) -> Any:
        answer = self.call("GET", path, **more)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, body: Any, **more: Any) -> Any:
        return self.call("POST", path, body, **more)

    def network(
        self, name: str = "net", cidr: str = "10.9.0.0/24", user: str | None = None
    ) -> dict[str, Any]:
        """A new network with a subnet."""
        made = self._made("network/v2.0", "/networks", "network", user, name=name)
        subnet = {"network_id": made["id"], "cidr": cidr, "ip_version": 4, "name": name}
        self._made("network/v2.0", "/subnets", "subnet", user, **subnet)
        return made

    def port(self, network_id: str, **members: Any) -> dict[str, Any]:
        return self._made("network/v2.0", "/ports", "port", None, network_id=network_id, **members)

    def volume(self, size: int = 1, **members: Any) -> dict[str, Any]:
        """A new volume that is available."""
        service = f"volume/v3/{self.project_id}"
        made = self._made(service, "/volumes", "volume", None, status=202, size=size, **members)
        return self.wait_for_volume(made["id"], "available")

    def wait_for_volume(self, volume_id: str, status: str) -> dict[str, Any]:
        def look() -> Any:
            answer = self.call("GET", f"/volumes/{volume_id}", service=f"volume/v3/{self.project_id}")
            return answer.json()["volume"] if answer.status_code == 200 else {"status": "gone"}

        return until(look, lambda volume: volume["status"] == status)

    @property
    def project_id(self) -> str:
        return self.cloud.id_of("projects", {"admin": "admin"}.get(self.user, "demo"))

    def image_id(self, name: str = "cirros") -> str:
        [image] = self.get("/v2/images", service="image", params={"name": name})["images"]
        return str(image["id"])

    def wanted(self, name: str = "web", **members: Any) -> dict[str, Any]:
        """A request for a server, as small as can be."""
        return {"name": name, "flavorRef": "42", "imageRef": self.image_id(), "networks": "none", **members}

    def create(self, name: str = "web", *, version: str = "2.90", hints: Any = None, **members: Any) -> Any:
        body: dict[str, Any] = {"server": self.wanted(name, **members)}
        if hints:
            body["os:scheduler_hints"] = hints
        return self.post("/servers", body, version=version)

    def server(self, name: str = "web", **members: Any) -> dict[str, Any]:
        """A new server that is active."""
        answer = self.create(name, **members)
        assert answer.status_code == 202, answer.text
        return self.wait_for(answer.json()["server"]["id"], "ACTIVE")

    def show(self, server_id: str, **more: Any) -> dict[str, Any]:
        shown: dict[str, Any] = self.get(f"/servers/{server_id}", **more)["server"]
        return shown

    def wait_for(self, server_id: str, status: str) -> dict[str, Any]:
        """The server when it has a status and nothing goes on with it."""

        def settled(server: dict[str, Any]) -> bool:
            return server["status"] == status and server["OS-EXT-STS:task_state"] is None

        return until(lambda: self.show(server_id, version="2.90"), settled)

    def wait_until_gone(self, server_id: str) -> None:
        until(lambda: self.call("GET", f"/servers/{server_id}"), lambda answer: answer.status_code == 404)

    def act(self, server: dict[str, Any], action: str, content: Any = None, **more: Any) -> Any:
        return self.post(f"/servers/{server['id']}/action", {action: content}, **more)

    def done(self, server: dict[str, Any], action: str, content: Any, status: str) -> dict[str, Any]:
        """The server after an action that leads to a status."""
        answer = self.act(server, action, content)
        assert answer.status_code in (200, 202, 204), answer.text
        return self.wait_for(server["id"], status)

    def _made(
        self, service: str, path: str, kind: str, user: str | None, status: int = 201, **members: Any
    ) -> Any:
        answer = self.post(path, {kind: members}, service=service, user=user)
        assert answer.status_code == status, answer.text
        return answer.json()[kind]


def until(look: Any, wanted: Any) -> Any:
    """What one sees when it is as wanted."""
    end = time.monotonic() + PATIENCE
    while True:
        seen = look()
        if wanted(seen):
            return seen
        assert time.monotonic() < end, f"It did not come to what was waited for: {seen}"
        time.sleep(0.005)


def fault_of(answer: Any) -> tuple[int, str]:
    """The status and the kind of an error, which says the same again."""
    [(kind, error)] = answer.json().items()
    assert error["code"] == answer.status_code
    assert error["message"]
    return answer.status_code, kind


BAD, FORBIDDEN = (400, "badRequest"), (403, "forbidden")
MISSING, CONFLICT = (404, "itemNotFound"), (409, "conflictingRequest")
