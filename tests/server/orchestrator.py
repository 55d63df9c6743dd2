"""Somebody who makes stacks at a server, and looks at what has become of them in the cloud."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2 as httpx
import yaml

from tests.support.server import Place, until


class Orchestrator:
    """A user of the embedded cloud, by the name of an entry in clouds.yaml."""

    def __init__(self, server: Place, name: str = "calor") -> None:
        self.token, self.project = server.token_of(name)
        base = f"http://127.0.0.1:{server.port}/v1/{self.project}"
        headers = {"X-Auth-Token": self.token}
        self.api = httpx.Client(base_url=base, headers=headers, follow_redirects=True, timeout=30)
        self.cloud = httpx.Client(headers=headers, timeout=30)
        clouds = yaml.safe_load((server.state_dir / "clouds.yaml").read_text())
        identity = clouds["clouds"][name]["auth"]["auth_url"]
        catalog = self.cloud.get(f"{identity}/auth/catalog").json()["catalog"]
        self.endpoints = {
            service["type"]: endpoint["url"]
            for service in catalog
            for endpoint in service["endpoints"]
            if endpoint["interface"] == "public"
        }
        self.endpoints["identity"] = identity

    # Stacks.

    def create(self, name: str, resources: dict[str, Any], **sections: Any) -> str:
        """The path of the stack when it is complete."""
        path = self.begin(name, resources, **sections)
        self.wait(path, "CREATE_COMPLETE")
        return path

    def begin(self, name: str, resources: dict[str, Any], **sections: Any) -> str:
        body = {"stack_name": name, "template": _template(resources, sections)}
        answer = self.api.post("/stacks", json=body)
        assert answer.status_code == 201, answer.text
        return f"/stacks/{name}/{answer.json()['stack']['id']}"

    def update(self, path: str, resources: dict[str, Any], *, wanted: str = "", **sections: Any) -> None:
        """Returns when the stack has the wanted state, which is UPDATE_COMPLETE unless told otherwise."""
        answer = self.api.put(path, json={"template": _template(resources, sections)})
        assert answer.status_code == 202, answer.text
        self.wait(path, wanted or "UPDATE_COMPLETE")

    def act(self, path: str, action: str) -> None:
        """Does `suspend`, `resume` or `check`."""
        answer = self.api.post(f"{path}/actions", json={action: None})
        assert answer.status_code in (200, 201, 202), answer.text
        self.wait(path, f"{action.upper()}_COMPLETE")

    def delete(self, path: str) -> None:
        answer = self.api.delete(path)
        assert answer.status_code == 204, answer.text
        self.wait(path, "DELETE_COMPLETE")

    def wait(self, path: str, wanted: str) -> None:
        """Returns when the stack has a state; fails, with the stack's words, when it gets another one."""

        def settled() -> dict[str, Any] | None:
            stack: dict[str, Any] = self.api.get(path).json()["stack"]
            return None if stack["stack_status"].endswith("_IN_PROGRESS") else stack

        stack = until(settled)
        assert stack["stack_status"] == wanted, stack["stack_status_reason"]

    def resource(self, path: str, name: str) -> dict[str, Any]:
        found: dict[str, Any] = self.api.get(f"{path}/resources/{name}").json()["resource"]
        return found

    def id_of(self, path: str, name: str) -> str:
        return str(self.resource(path, name)["physical_resource_id"])

    def outputs(self, path: str) -> dict[str, Any]:
        shown = self.api.get(path).json()["stack"]["outputs"]
        return {output["output_key"]: output["output_value"] for output in shown}

    # The cloud.

    @contextmanager
    def fault(self, **fault: Any) -> Iterator[None]:
        """While the cloud fails as told, which only an admin can have it do."""
        faults = self.endpoints["identity"].removesuffix("/identity/v3") + "/faults/"
        assert self.cloud.post(faults, json={"fault": fault}).is_success
        try:
            yield
        finally:
            assert self.cloud.delete(faults).is_success

    def ask(self, service: str, method: str, path: str, **more: Any) -> httpx.Response:
        return self.cloud.request(method, f"{self.endpoints[service]}{path}", **more)

    def shown(self, service: str, path: str) -> dict[str, Any] | None:
        """An object of the cloud without what wraps it; None if there is none."""
        answer = self.ask(service, "GET", path)
        if answer.status_code == 404:
            return None
        assert answer.status_code == 200, answer.text
        body: dict[str, Any] = answer.json()
        inner = list(body.values())
        return inner[0] if len(inner) == 1 and isinstance(inner[0], dict) else body


def _template(resources: dict[str, Any], sections: dict[str, Any]) -> dict[str, Any]:
    """A CFN template if the resources are written as in one."""
    if any("Type" in resource for resource in resources.values()):
        return {"HeatTemplateFormatVersion": "2012-12-12", "Resources": resources, **sections}
    return {"heat_template_version": "2018-08-31", "resources": resources, **sections}
