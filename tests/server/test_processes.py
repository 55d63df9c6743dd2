"""The parts of a server as processes of their own: with one state directory they are one system, each is told to stop
without harm, and none starts without what it needs."""

from __future__ import annotations

import json
import signal
import socket
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from tests.support.processes import Fleet
from tests.support.server import PATIENCE, Server, free_port, until

pytestmark = pytest.mark.extended

SLOW = {
    "heat_template_version": "2018-08-31",
    "resources": {
        "first": {"type": "OS::Heat::TestResource", "properties": {"wait_secs": 1}},
        "second": {
            "type": "OS::Heat::TestResource",
            "depends_on": "first",
            "properties": {"wait_secs": 1},
        },
    },
}
WAITING = {
    "heat_template_version": "2018-08-31",
    "resources": {
        "handle": {"type": "OS::Heat::WaitConditionHandle", "properties": {"signal_transport": "CFN_SIGNAL"}},
        "wait": {
            "type": "OS::Heat::WaitCondition",
            "properties": {"handle": {"get_resource": "handle"}, "timeout": 60},
        },
    },
}


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    made = Fleet(tmp_path)
    yield made
    made.stop()


def create(api: httpx.Client, template: dict[str, Any]) -> str:
    made = api.post("/stacks", json={"stack_name": "s", "template": template})
    assert made.status_code == 201, made.text
    return str(made.json()["stack"]["id"])


def state(api: httpx.Client, id: str) -> str:
    return str(api.get(f"/stacks/s/{id}").json()["stack"]["stack_status"])


class TestOneSystem:
    def test_what_is_asked_of_one_is_done_by_another(self, fleet: Fleet) -> None:
        for part in ("cloud", "engine", "api", "api-cfn"):
            fleet.start(part)
        api = fleet.client()
        id = create(api, WAITING)

        def signal_url() -> str | None:
            shown = api.get(f"/stacks/s/{id}/resources/handle?with_attr=signal").json().get("resource", {})
            reported = (shown.get("attributes") or {}).get("signal")
            return json.loads(reported)["alarm_url"] if reported else None

        url = until(signal_url)
        assert f":{fleet.port + 1}/" in url
        assert httpx.put(url, json={"status": "SUCCESS", "id": "1"}).status_code == 200
        assert until(lambda: state(api, id) != "CREATE_IN_PROGRESS" and state(api, id)) == "CREATE_COMPLETE"

    def test_an_engine_that_was_killed_is_reported_as_down_at_once(self, fleet: Fleet) -> None:
        for part in ("cloud", "engine", "api"):
            fleet.start(part)
        token, project = fleet.token_of("calor-admin")
        base = f"http://127.0.0.1:{fleet.port}"
        own = {"X-Auth-Token": token}

        def statuses() -> list[str]:
            shown = httpx.get(f"{base}/v1/{project}/services", headers=own, follow_redirects=True)
            return [one["status"] for one in shown.json()["services"]]

        assert statuses() == ["up"]
        fleet.tell("engine", signal.SIGKILL)

        assert statuses() == ["down"]
        assert "calor_engines 0" in httpx.get(f"{base}/metrics", headers=own).text

    def test_they_find_a_cloud_that_is_somewhere_else(self, fleet: Fleet) -> None:
        elsewhere = free_port()
        fleet.start("cloud", "--port", str(elsewhere))
        fleet.start("engine")
        fleet.start("api")

        api = fleet.client()

        assert f":{elsewhere}/" in (fleet.state_dir / "clouds.yaml").read_text()
        assert create(api, {"heat_template_version": "2018-08-31"})

    def test_those_that_need_a_cloud_wait_for_it(self, fleet: Fleet) -> None:
        fleet.launch("engine", fleet.command("engine", "--wait", str(PATIENCE)))
        until(lambda: (fleet.state_dir / "key").exists())

        fleet.start("cloud")

        until(lambda: "calor engine is ready" in fleet.log("engine"))

    def test_an_api_that_listens_elsewhere_shows_the_configured_address(self, fleet: Fleet) -> None:
        fleet.start("cloud")
        other = free_port()

        fleet.start("api", "--port", str(other))

        assert f"calor api is ready at http://127.0.0.1:{other}" in fleet.log("api")
        assert httpx.get(f"http://127.0.0.1:{other}/healthcheck").text == "OK"

    def test_several_workers(self, fleet: Fleet) -> None:
        fleet.environment |= {"OS_HEAT_API__WORKERS": "2", "OS_DEFAULT__NUM_ENGINE_WORKERS": "2"}
        for part in ("cloud", "engine", "api"):
            fleet.start(part)
        api = fleet.client()
        id = create(api, {"heat_template_version": "2018-08-31"})
        until(lambda: state(api, id) == "CREATE_COMPLETE")

        assert [fleet.tell(part) for part in ("api", "engine")] == [0, 0]

    def test_it_is_what_calor_serve_runs(self, fleet: Fleet) -> None:
        for part in ("cloud", "engine", "api"):
            fleet.start(part)
        id = create(fleet.client(), {"heat_template_version": "2018-08-31"})
        until(lambda: state(fleet.client(), id) == "CREATE_COMPLETE")
        fleet.stop()

        whole = Server(fleet.state_dir, fleet.port)
        try:
            whole.ready()
            assert state(whole.client(), id) == "CREATE_COMPLETE"
        finally:
            whole.stop()


class TestStopping:
    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
    def test_each_part_ends_when_it_is_asked_to(self, fleet: Fleet, number: signal.Signals) -> None:
        parts = ("cloud", "engine", "api", "api-cfn")
        for part in parts:
            fleet.start(part)

        assert {part: fleet.tell(part, number) for part in reversed(parts)} == dict.fromkeys(parts, 0)
        assert not any("Traceback" in fleet.log(part) for part in parts)
        assert list((fleet.state_dir / "bells").iterdir()) == []

    def test_an_engine_leaves_its_stacks_to_the_next(self, fleet: Fleet) -> None:
        for part in ("cloud", "engine", "api"):
            fleet.start(part)
        api = fleet.client()
        id = create(api, SLOW)
        until(
            lambda: any(
                one["resource_status"] == "CREATE_IN_PROGRESS"
                for one in api.get(f"/stacks/s/{id}/resources").json()["resources"]
            )
        )

        assert fleet.tell("engine") == 0

        assert state(api, id) == "CREATE_IN_PROGRESS"
        with sqlite3.connect(fleet.state_dir / "calor.db") as database:
            assert database.execute("SELECT count(*) FROM lease").fetchone() == (0,)
        fleet.start("engine")
        until(lambda: state(api, id) == "CREATE_COMPLETE")
        events = api.get(f"/stacks/s/{id}/events").json()["events"]
        made = [one["resource_name"] for one in events if one["resource_status"] == "CREATE_COMPLETE"]
        assert sorted(made) == ["first", "s", "second"]

    def test_an_api_finishes_what_it_has_begun(self, fleet: Fleet) -> None:
        fleet.start("cloud")
        fleet.start("api")
        token, project = fleet.token()
        body = json.dumps({"stack_name": "s", "template": {"heat_template_version": "2018-08-31"}}).encode()
        head = (
            f"POST /v1/{project}/stacks HTTP/1.1\r\nHost: calor\r\nX-Auth-Token: {token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        process = fleet.running["api"]
        with socket.create_connection(("127.0.0.1", fleet.port), PATIENCE) as begun:
            begun.sendall(head.encode() + body[:10])
            until(lambda: httpx.get(f"http://127.0.0.1:{fleet.port}/healthcheck").text == "OK")
            process.terminate()
            until(lambda: is_refused(fleet.port))

            begun.sendall(body[10:])

            answer = begun.recv(100_000)
        assert answer.startswith(b"HTTP/1.1 201 "), answer
        assert process.wait(PATIENCE) == 0

    def test_a_stream_of_events_ends(self, fleet: Fleet) -> None:
        for part in ("cloud", "engine", "api"):
            fleet.start(part)
        api = fleet.client()
        id = create(api, SLOW)
        with api.stream("GET", f"/stacks/s/{id}/events/stream") as stream:
            lines = stream.iter_lines()
            next(lines)

            assert fleet.tell("api") == 0

            assert list(lines)[-1:] == [""]
        assert "ERROR" not in fleet.log("api")


def is_refused(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), PATIENCE).close()
    except ConnectionRefusedError:
        return True
    return False


class TestWhatIsMissing:
    @pytest.mark.parametrize("part", ["engine", "api", "api-cfn"])
    def test_an_identity_service(self, fleet: Fleet, part: str) -> None:
        reported = fleet.refusal(part, "--wait", "0")

        assert reported.splitlines()[-1].startswith("calor: no identity service: configure")
        assert "Traceback" not in reported

    def test_an_identity_service_that_answers(self, fleet: Fleet, tmp_path: Path) -> None:
        nobody = free_port()
        config = tmp_path / "heat.conf"
        config.write_text(
            f"[keystone_authtoken]\nauth_url = http://127.0.0.1:{nobody}\nusername = heat\npassword = x\n"
        )

        reported = fleet.refusal("engine", "--wait", "0", "--config-file", str(config))

        assert f"calor: the identity service at http://127.0.0.1:{nobody} does not respond" in reported

    def test_a_database(self, fleet: Fleet) -> None:
        fleet.start("cloud")
        fleet.environment["OS_DATABASE__CONNECTION"] = "sqlite:////nowhere/at/all.db"

        assert "calor: the database cannot be used" in fleet.refusal("engine", "--wait", "0")

    def test_the_tables_of_a_database_that_was_configured(self, fleet: Fleet, tmp_path: Path) -> None:
        fleet.start("cloud")
        fleet.environment["OS_DATABASE__CONNECTION"] = f"sqlite:///{tmp_path}/other.db"

        reported = fleet.refusal("engine", "--wait", "0")

        assert "calor: the database has no tables" in reported
        assert "run `calor db upgrade`" in reported
        assert subprocess.run(fleet.command("db", "upgrade"), env=fleet.environment).returncode == 0
        fleet.start("engine")

    def test_its_port(self, fleet: Fleet) -> None:
        fleet.start("cloud")
        fleet.start("api")

        second = fleet.refusal("api")

        assert f"calor: port {fleet.port} on 127.0.0.1 is in use" in second

    def test_a_use_for_the_cloud(self, fleet: Fleet) -> None:
        fleet.environment |= {
            "OS_KEYSTONE_AUTHTOKEN__AUTH_URL": "http://127.0.0.1:9",
            "OS_KEYSTONE_AUTHTOKEN__USERNAME": "heat",
            "OS_KEYSTONE_AUTHTOKEN__PASSWORD": "x",
        }

        assert "calor: [keystone_authtoken] names an identity service" in fleet.refusal("cloud")

    def test_a_state_directory_without_a_whole_server(self, fleet: Fleet) -> None:
        whole = Server(fleet.state_dir, fleet.port)
        try:
            whole.ready()
            assert "another server uses" in fleet.refusal("engine")
        finally:
            whole.stop()

    def test_a_state_directory_without_parts(self, fleet: Fleet) -> None:
        fleet.start("cloud")

        whole = Server(fleet.state_dir, free_port())

        assert whole.process.wait(PATIENCE) == 1
        assert "another server uses" in whole.output()

    def test_a_cloud_of_its_own(self, fleet: Fleet) -> None:
        fleet.start("cloud")

        second = fleet.refusal("cloud", "--port", str(free_port()))

        assert "calor: another cloud uses" in second
