"""What happens before any handler: versions, methods, unknown paths, request ids, proxies, browsers."""

from __future__ import annotations

from unittest.mock import ANY

import pytest
from sqlalchemy import event
from sqlalchemy.exc import OperationalError

from calor.api.settings import Cors
from calor.store import tables
from calor.store.database import reading
from tests.support.api import PROJECT, Door, Stage, error, open_door, token

VERSIONS = {
    "versions": [
        {
            "id": "v1.0",
            "status": "CURRENT",
            "links": [{"rel": "self", "href": "http://heat.test:8004/v1/"}],
        }
    ]
}


class TestVersions:
    @pytest.mark.parametrize("path", ["/", "/versions", "/v2/x/stacks", "/v3"])
    def test_without_a_known_version_the_versions_are_listed(self, door: Door, path: str) -> None:
        answer = door.client.get(path)

        assert answer.status_code == 300
        assert answer.json() == VERSIONS

    @pytest.mark.parametrize("version", ["v1", "v1.0"])
    def test_both_spellings(self, door: Door, version: str) -> None:
        answer = door.client.get(f"/{version}/{PROJECT}/stacks", headers={"X-Auth-Token": token()})

        assert answer.status_code == 200

    def test_the_version_may_come_with_accept(self, door: Door) -> None:
        headers = {"X-Auth-Token": token(), "Accept": "application/vnd.openstack.orchestration-v1.0"}

        assert door.client.get(f"/{PROJECT}/stacks", headers=headers).status_code == 200

    def test_another_version_in_accept(self, door: Door) -> None:
        headers = {"Accept": "application/vnd.openstack.orchestration-v7"}

        assert door.client.get(f"/{PROJECT}/stacks", headers=headers).status_code == 300

    @pytest.mark.parametrize("path", ["/v1", "/v1/", "/nothing", f"/{PROJECT}/stacks"])
    def test_nothing_is_there(self, door: Door, path: str) -> None:
        answer = door.client.get(path)

        assert answer.status_code == 404
        assert answer.json()["code"] == "404 Not Found"
        assert answer.json()["title"] == "Not Found"
        assert "message" in answer.json()


class TestMethods:
    def test_a_wrong_method(self, door: Door) -> None:
        answer = door("DELETE", "/stacks")

        assert answer.status_code == 405
        assert answer.headers["allow"] == "GET,POST"

    def test_options_shows_the_methods(self, door: Door) -> None:
        answer = door("OPTIONS", "/stacks/a/b")

        assert answer.status_code == 204
        assert answer.headers["allow"] == "GET,PUT,PATCH,DELETE"
        assert answer.content == b""

    def test_an_unknown_path(self, door: Door) -> None:
        assert door("GET", "/stacks/a/b/nothing").status_code == 404

    def test_services_can_only_be_listed(self, door: Door) -> None:
        assert door("GET", "/services/x").status_code == 404
        assert door("POST", "/services").status_code == 404

    def test_too_long_an_address(self, door: Door) -> None:
        assert door("GET", "/stacks", params={"name": "x" * 50_000}).status_code == 414


class TestRequestIds:
    def test_every_answer_has_one(self, door: Door) -> None:
        first, second = (door.client.get("/").headers["x-openstack-request-id"] for _ in range(2))

        assert first.startswith("req-")
        assert first != second

    def test_one_that_comes_is_kept(self, door: Door) -> None:
        answer = door("GET", "/stacks", headers={"X-OpenStack-Request-ID": "req-12-ab"})

        assert answer.headers["x-openstack-request-id"] == "req-12-ab"

    def test_what_is_not_an_id_is_not(self, door: Door) -> None:
        answer = door("GET", "/stacks", headers={"X-OpenStack-Request-ID": "<script>"})

        assert answer.headers["x-openstack-request-id"].startswith("req-")


class TestProxies:
    FORWARDED = {
        "X-Forwarded-Proto": "https",
        "X-Forwarded-Host": "cloud.example",
        "X-Forwarded-Port": "8443",
        "X-Forwarded-Prefix": "/orchestration",
    }

    def test_their_headers_count_when_they_are_trusted(self, stage: Stage) -> None:
        door = open_door(stage, trust_proxy_headers=True)

        answer = door.client.get("/", headers=self.FORWARDED)

        href = answer.json()["versions"][0]["links"][0]["href"]
        assert href == "https://cloud.example:8443/orchestration/v1/"

    def test_else_they_do_not(self, door: Door) -> None:
        assert door.client.get("/", headers=self.FORWARDED).json() == VERSIONS


class TestBrowsers:
    def test_an_allowed_origin_may_ask(self, stage: Stage) -> None:
        door = open_door(stage, cors=Cors(("https://console.example",)))
        headers = {
            "Origin": "https://console.example",
            "Access-Control-Request-Method": "PATCH",
            "Access-Control-Request-Headers": "X-Auth-Token",
        }

        answer = door.client.options(f"/v1/{PROJECT}/stacks/a/b", headers=headers)

        assert answer.status_code == 200
        assert answer.headers["access-control-allow-origin"] == "https://console.example"
        assert "X-Auth-Token" in answer.headers["access-control-allow-headers"]

    def test_another_may_not(self, stage: Stage) -> None:
        door = open_door(stage, cors=Cors(("https://console.example",)))

        answer = door("GET", "/stacks", headers={"Origin": "https://evil.example"})

        assert "access-control-allow-origin" not in answer.headers


class TestOperation:
    def test_health_needs_no_token(self, door: Door) -> None:
        assert door.client.get("/healthcheck").text == "OK"

    def test_figures(self, door: Door) -> None:
        door.create("a")
        door("GET", "/stacks")

        text = door.client.get("/metrics").text

        count = 'calor_api_request_seconds_count{api="heat",method="%s",route="/stacks",status="%s"}'
        assert count % ("GET", "200") in text
        assert count % ("POST", "201") in text
        assert 'calor_stacks{action="CREATE",status="IN_PROGRESS"} 1' in text
        assert "calor_stacks_waiting 1" in text
        assert "calor_inbox 0" in text

    def test_figures_without_a_database_are_those_of_the_processes(self, stage: Stage) -> None:
        door = open_door(stage)
        tables.stack.drop(stage.database)

        text = door.client.get("/metrics").text

        assert "process_open_fds" in text
        assert "calor_stacks{" not in text

    def test_figures_can_be_switched_off(self, stage: Stage) -> None:
        assert open_door(stage, metrics=False).client.get("/metrics").status_code == 404

    def test_what_breaks_is_reported_without_its_reason(self, stage: Stage) -> None:
        door = open_door(stage)
        stage.queries.services.all = lambda: 1 / 0  # type: ignore[method-assign, assignment, return-value]

        found = error(door.by(token(roles="admin"))("GET", "/services"), 500)

        assert found["type"] == "ZeroDivisionError"
        assert "division" not in found["message"]


class TestDatabaseAway:
    def test_that_is_reported_and_ends(self, door: Door, stage: Stage) -> None:
        away = [True]

        def fail(*_: object) -> None:
            if away:
                raise OperationalError("SELECT", {}, Exception(), connection_invalidated=True)

        event.listen(reading(stage.database), "begin", fail)
        reported = error(door("GET", "/stacks"), 503)
        assert reported == {"type": "HTTPServiceUnavailable", "message": ANY, "traceback": None}
        assert "database" in reported["message"]

        away.clear()
        assert door("GET", "/stacks").status_code == 200
