"""The APIs in web servers of other people's: ASGI in uvicorn and gunicorn, WSGI in gunicorn and uWSGI."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from tests.support.processes import Fleet
from tests.support.server import PATIENCE, until

pytestmark = pytest.mark.extended

GUNICORN = (sys.executable, "-m", "gunicorn", "--workers", "2")
UWSGI = (sys.executable, "-c", "import pyuwsgi; pyuwsgi.run()")
SERVERS: dict[str, Callable[[str, int], list[str]]] = {
    "uvicorn": lambda app, port: [
        *(sys.executable, "-m", "uvicorn", "--factory", f"calor.server.asgi:{app}", "--port", str(port))
    ],
    "gunicorn, ASGI": lambda app, port: [
        *(*GUNICORN, "--worker-class", "uvicorn_worker.UvicornWorker", "--preload"),
        *("--bind", f"127.0.0.1:{port}", f"calor.server.asgi:{app}()"),
    ],
    "gunicorn, WSGI": lambda app, port: [
        *(*GUNICORN, "--threads", "8", "--bind", f"127.0.0.1:{port}", f"calor.server.wsgi:{app}")
    ],
    "gunicorn, WSGI without threads": lambda app, port: [
        *(*GUNICORN, "--preload", "--bind", f"127.0.0.1:{port}", f"calor.server.wsgi:{app}")
    ],
    "uWSGI": lambda app, port: [
        *(*UWSGI, "--http-socket", f"127.0.0.1:{port}", "--module", f"calor.server.wsgi:{app}"),
        *("--master", "--processes", "2", "--threads", "4", "--enable-threads", "--die-on-term"),
    ],
}
NEEDS = {"gunicorn, ASGI": ("gunicorn", "uvicorn_worker"), "uvicorn": (), "uWSGI": ("pyuwsgi",)}
TEMPLATE = {
    "heat_template_version": "2018-08-31",
    "description": "Größe",
    "resources": {"r": {"type": "OS::Heat::RandomString"}},
}
WAITING = {
    "heat_template_version": "2018-08-31",
    "resources": {
        "handle": {"type": "OS::Heat::WaitConditionHandle", "properties": {"signal_transport": "CFN_SIGNAL"}}
    },
}


def named(server: str) -> Any:
    missing = [one for one in NEEDS.get(server, ("gunicorn",)) if importlib.util.find_spec(one) is None]
    return pytest.param(server, marks=pytest.mark.skipif(bool(missing), reason=f"needs {missing}"))


every_server = pytest.mark.parametrize("server", [named(server) for server in SERVERS])


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    made = Fleet(tmp_path)
    # What uWSGI runs is not the interpreter that the tests run in: it is told where that one looks.
    made.environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    yield made
    made.stop()


def answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=PATIENCE).status_code < 500
    except httpx.HTTPError:
        return False


@every_server
def test_the_rest_api(fleet: Fleet, server: str) -> None:
    fleet.start("cloud")
    fleet.start("engine")
    process = fleet.launch("api", SERVERS[server]("heat_api", fleet.port))
    fleet.ready()
    api = fleet.client()
    body = json.dumps({"stack_name": "s", "template": TEMPLATE}).encode()

    made = api.post("/stacks", content=body, headers={"Content-Type": "application/json"})

    assert made.status_code == 201, made.text
    id = made.json()["stack"]["id"]
    assert made.json()["stack"]["links"][0]["href"] == f"{api.base_url}stacks/s/{id}"
    with api.stream("GET", f"/stacks/s/{id}/events/stream?until=complete", timeout=PATIENCE) as stream:
        reported = list(stream.iter_lines())
    assert "event: end" in reported
    shown = api.get(f"/stacks/s/{id}").json()["stack"]
    assert (shown["stack_status"], shown["description"]) == ("CREATE_COMPLETE", "Größe")
    assert api.delete(f"/stacks/s/{id}").status_code == 204
    assert api.get("/stacks", headers={"X-Auth-Token": "wrong"}).status_code == 401
    process.send_signal(signal.SIGTERM)
    # uvicorn ends by the signal itself, once it has done with it.
    assert process.wait(PATIENCE) in (0, -signal.SIGTERM), fleet.log("api")
    assert "Traceback" not in fleet.log("api")


@every_server
def test_signatures_at_the_cfn_api(fleet: Fleet, server: str) -> None:
    for part in ("cloud", "engine", "api"):
        fleet.start(part)
    base = f"http://127.0.0.1:{fleet.port + 1}"
    fleet.launch("cfn", SERVERS[server]("heat_api_cfn", fleet.port + 1))
    until(lambda: answers(f"{base}/v1/signal/x"))
    api = fleet.client()
    id = api.post("/stacks", json={"stack_name": "s", "template": WAITING}).json()["stack"]["id"]

    def signal_url() -> str | None:
        shown = api.get(f"/stacks/s/{id}/resources/handle?with_attr=signal").json().get("resource", {})
        reported = (shown.get("attributes") or {}).get("signal")
        return json.loads(reported)["alarm_url"] if reported else None

    url = until(signal_url)

    assert httpx.put(url, json={"status": "SUCCESS", "id": "1"}).status_code == 200
    assert httpx.put(f"{url}x", json={"status": "SUCCESS", "id": "1"}).status_code == 403
    found = api.get(f"/stacks/s/{id}/resources/handle/metadata").json()["metadata"]
    assert list(found) == ["1"]


@pytest.mark.parametrize("server", [named("gunicorn, WSGI")])
def test_a_body_in_chunks(fleet: Fleet, server: str) -> None:
    fleet.start("cloud")
    fleet.launch("api", SERVERS[server]("heat_api", fleet.port))
    fleet.ready()
    body = json.dumps({"stack_name": "s", "template": TEMPLATE}).encode()

    made = fleet.client().post(
        "/stacks", content=iter([body[:9], body[9:]]), headers={"Content-Type": "application/json"}
    )

    assert made.status_code == 201, made.text


@pytest.mark.parametrize("server", [named("uvicorn"), named("gunicorn, WSGI")])
def test_a_body_that_is_too_large(fleet: Fleet, server: str) -> None:
    fleet.environment["OS_DEFAULT__MAX_JSON_BODY_SIZE"] = "1000"
    fleet.start("cloud")
    fleet.launch("api", SERVERS[server]("heat_api", fleet.port))
    fleet.ready()

    refused = fleet.client().post("/stacks", json={"stack_name": "s", "template": "x" * 1001})

    assert refused.status_code == 400
    assert refused.json()["error"]["type"] == "RequestLimitExceeded"


def test_an_asgi_server_does_not_start_with_a_wrong_configuration(fleet: Fleet) -> None:
    fleet.environment["CALOR_CONFIG_FILE"] = "/nowhere/heat.conf"

    process = fleet.launch("api", SERVERS["uvicorn"]("heat_api", fleet.port))

    assert process.wait(PATIENCE) != 0
    assert "calor: configuration file not found: /nowhere/heat.conf" in fleet.log("api")
    assert "Traceback" not in fleet.log("api")


@pytest.mark.parametrize("server", [named("gunicorn, WSGI")])
def test_a_wsgi_server_shows_in_its_log_why_it_is_not_ready(fleet: Fleet, server: str) -> None:
    fleet.environment["CALOR_CONFIG_FILE"] = "/nowhere/heat.conf"
    fleet.launch("api", SERVERS[server]("heat_api", fleet.port))

    def answer() -> httpx.Response | None:
        try:
            return httpx.get(f"http://127.0.0.1:{fleet.port}/healthcheck")
        except httpx.ConnectError:
            return None

    assert until(answer).status_code == 503
    assert "calor: configuration file not found: /nowhere/heat.conf" in fleet.log("api")
