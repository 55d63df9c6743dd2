"""Several users of one cloud: for whom a stack acts, and what of another's it cannot reach."""

from __future__ import annotations

from typing import Any

import httpx2 as httpx

from tests.server.orchestrator import Orchestrator
from tests.support.server import Server

NET = {"net": {"type": "OS::Neutron::Net"}}


class Colleague:
    """One more member of the demo project."""

    def __init__(self, server: Server, admin: Orchestrator, name: str) -> None:
        self._admin = admin
        project = Orchestrator(server).project
        made = admin.ask("identity", "POST", "/users", json={"user": {"name": name, "password": "their-own"}})
        self.id = made.json()["user"]["id"]
        roles = admin.ask("identity", "GET", "/roles?name=member").json()["roles"]
        granted = f"/projects/{project}/users/{self.id}/roles/{roles[0]['id']}"
        assert admin.ask("identity", "PUT", granted).status_code == 204
        self.orchestrator = Orchestrator(server)
        self.orchestrator.api.headers["X-Auth-Token"] = self._token(project)

    def _token(self, project: str) -> str:
        password = {"user": {"id": self.id, "password": "their-own"}}
        identity = {"methods": ["password"], "password": password}
        body = {"auth": {"identity": identity, "scope": {"project": {"id": project}}}}
        answer = self._admin.ask("identity", "POST", "/auth/tokens", json=body)
        return str(answer.headers["X-Subject-Token"])

    def leave(self) -> None:
        assert self._admin.ask("identity", "DELETE", f"/users/{self.id}").status_code == 204


def trustors(admin: Orchestrator) -> list[str]:
    found = admin.ask("identity", "GET", "/OS-TRUST/trusts").json()["trusts"]
    return [one["trustor_user_id"] for one in found]


class TestWhoWantsAStack:
    def test_whoever_changes_it_is_for_whom_it_acts(
        self, server: Server, admin: Orchestrator, demo: Orchestrator
    ) -> None:
        ann = Colleague(server, admin, "ann")
        path = ann.orchestrator.create("handed-over", NET)
        assert trustors(admin) == [ann.id]

        demo.update(path, {**NET, "more": NET["net"]})

        [trustor] = trustors(admin)
        assert trustor != ann.id
        ann.leave()
        demo.delete(path)
        assert trustors(admin) == []

    def test_what_somebody_who_left_has_made_can_be_deleted(
        self, server: Server, admin: Orchestrator, demo: Orchestrator
    ) -> None:
        bob = Colleague(server, admin, "bob")
        path = bob.orchestrator.create("left-behind", NET)
        net = demo.id_of(path, "net")
        bob.leave()

        demo.delete(path)

        assert demo.shown("network", f"/v2.0/networks/{net}") is None
        assert trustors(admin) == []

    def test_an_admin_from_elsewhere_acts_for_the_owner(
        self, admin: Orchestrator, demo: Orchestrator
    ) -> None:
        path = demo.create("looked-after", NET)
        before = trustors(admin)

        body = {"template": {"heat_template_version": "2018-08-31", "resources": {**NET, "more": NET["net"]}}}
        answer = admin.api.put(f"{demo.api.base_url}{path.lstrip('/')}", json=body)
        assert answer.status_code == 202
        demo.wait(path, "UPDATE_COMPLETE")

        assert trustors(admin) == before
        shown = demo.shown("network", f"/v2.0/networks/{demo.id_of(path, 'more')}") or {}
        assert shown["project_id"] == demo.project
        demo.delete(path)

    def test_an_admin_makes_stacks_in_the_project_of_the_token(
        self, admin: Orchestrator, demo: Orchestrator
    ) -> None:
        template = {"heat_template_version": "2018-08-31", "resources": NET}
        body = {"stack_name": "from-elsewhere", "template": template}

        made = admin.api.post(f"{demo.api.base_url}stacks", json=body)

        assert made.status_code == 201
        path = f"/stacks/from-elsewhere/{made.json()['stack']['id']}"
        admin.wait(path, "CREATE_COMPLETE")
        assert demo.api.get("/stacks/from-elsewhere").status_code == 404
        admin.delete(path)


class TestDeployments:
    def test_nobody_has_software_deployed_to_anothers_server(
        self, admin: Orchestrator, demo: Orchestrator
    ) -> None:
        path = demo.create("polled", {"server": polled_server()})
        place = demo.id_of(path, "server")
        wanted = deployment(demo, place, "wanted")

        foreign = deployment(admin, place, "foreign")

        assert deployed(demo, path) == ["wanted"]
        again = deployment(demo, place, "wanted-too")
        assert deployed(demo, path) == ["wanted", "wanted-too"]
        for who, id in ((demo, wanted), (demo, again), (admin, foreign)):
            assert who.api.delete(f"/software_deployments/{id}").status_code == 204
        demo.delete(path)


def polled_server() -> dict[str, Any]:
    return {
        "type": "OS::Nova::Server",
        "properties": {
            "flavor": "m1.tiny",
            "image": "cirros",
            "networks": [{"network": "heat-net"}],
            "user_data_format": "SOFTWARE_CONFIG",
            "software_config_transport": "POLL_TEMP_URL",
        },
    }


def deployment(who: Orchestrator, server: str, name: str) -> str:
    """A new configuration, deployed to a server; the id of the deployment."""
    config = {"name": name, "group": "script", "config": "true"}
    made = who.api.post("/software_configs", json=config).json()["software_config"]["id"]
    body = {"config_id": made, "server_id": server, "action": "CREATE", "status": "IN_PROGRESS"}
    answer = who.api.post("/software_deployments", json=body)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["software_deployment"]["id"])


def deployed(who: Orchestrator, path: str) -> list[str]:
    """What the agent of the server is told to apply."""
    collected = who.resource(path, "server")["attributes"]["os_collect_config"]
    document = httpx.get(collected["request"]["metadata_url"]).json()
    return [one["name"] for one in document["deployments"]]
