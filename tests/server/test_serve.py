"""`calor serve` as a program: it starts, answers, stops, and leaves nothing behind."""

from __future__ import annotations

import http.client
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from calor.server.supervisor import GRACE_SECONDS
from calor.store.cipher import Cipher
from tests.support.server import PATIENCE, Server, free_port


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    made = Server(tmp_path / "state", free_port())
    made.ready()
    yield made
    made.stop()


def gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def all_gone(pids: list[int]) -> bool:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if all(gone(pid) for pid in pids):
            return True
        time.sleep(0.02)
    return False


needs_proc = pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="looks into /proc")


@pytest.mark.extended
def test_idle_connections_are_kept_for_clients_that_use_them_again(server: Server) -> None:
    idle = [http.client.HTTPConnection("127.0.0.1", port) for port in (server.port, server.port + 2)]
    for connection, path in zip(idle, ("/healthcheck", "/identity/v3"), strict=True):
        connection.request("GET", path)
        assert connection.getresponse().read()
    before = [connection.sock for connection in idle]

    time.sleep(6)

    for connection, path in zip(idle, ("/healthcheck", "/identity/v3"), strict=True):
        connection.request("GET", path)
        assert connection.getresponse().status == 200
    assert [connection.sock for connection in idle] == before


def test_a_stack_is_made_with_a_token_of_the_embedded_cloud(server: Server) -> None:
    token, project = server.token()
    api = httpx.Client(
        base_url=f"http://127.0.0.1:{server.port}/v1/{project}", headers={"X-Auth-Token": token}
    )
    template = {
        "heat_template_version": "2018-08-31",
        "resources": {"r": {"type": "OS::Heat::RandomString"}},
        "outputs": {"o": {"value": {"get_attr": ["r", "value"]}}},
    }
    made = api.post("/stacks", json={"stack_name": "s", "template": template}).json()["stack"]

    end = time.monotonic() + PATIENCE
    shown: dict[str, object] = {}
    while time.monotonic() < end and shown.get("stack_status") != "CREATE_COMPLETE":
        shown = api.get(f"/stacks/s/{made['id']}").json()["stack"]
        time.sleep(0.02)

    assert shown["stack_status"] == "CREATE_COMPLETE"
    assert api.get("/stacks", headers={"X-Auth-Token": "wrong"}).status_code == 401


@needs_proc
def test_it_stops_cleanly_when_asked_to(server: Server) -> None:
    children = server.children()

    server.process.send_signal(signal.SIGTERM)

    assert server.process.wait(PATIENCE) == 0
    assert all_gone(children)


@needs_proc
def test_when_it_is_killed_its_processes_end_with_it(server: Server) -> None:
    children = server.children()
    assert len(children) == 3

    server.process.kill()
    server.process.wait(PATIENCE)

    assert all_gone(children)


@needs_proc
@pytest.mark.extended
def test_a_server_that_was_killed_can_be_started_again_at_once(server: Server) -> None:
    server.process.kill()
    server.process.wait(PATIENCE)

    again = Server(server.state_dir, server.port)
    try:
        again.ready()
    finally:
        again.stop()

    assert again.process.returncode == 0


@needs_proc
@pytest.mark.extended
def test_it_stops_at_once_while_a_process_is_being_started_again(server: Server) -> None:
    engine = server.child("engine")
    assert engine is not None
    os.kill(engine, signal.SIGKILL)

    server.process.send_signal(signal.SIGTERM)

    assert server.process.wait(GRACE_SECONDS - 1) == 0


@needs_proc
def test_its_processes_can_be_distinguished(server: Server) -> None:
    assert {server.child(name) for name in ("api", "engine", "cloud")} == set(server.children())


@needs_proc
def test_a_process_that_ends_unasked_is_started_again(server: Server) -> None:
    before = server.children()
    os.kill(before[-1], signal.SIGKILL)

    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and set(server.children()) == set(before):
        time.sleep(0.05)
    server.ready()

    assert len(server.children()) == 3


def test_users_and_stacks_outlast_a_restart(server: Server) -> None:
    token, project = server.token()
    server.stop()

    again = Server(server.state_dir, server.port)
    try:
        again.ready()
        answer = httpx.get(
            f"http://127.0.0.1:{again.port}/v1/{project}/stacks", headers={"X-Auth-Token": token}
        )
    finally:
        again.stop()

    assert answer.json() == {"stacks": []}


def test_a_port_that_is_taken_is_named(server: Server, tmp_path: Path) -> None:
    other = Server(tmp_path / "other", server.port)

    assert other.process.wait(PATIENCE) == 1
    assert f"port {server.port} on 127.0.0.1 is in use" in other.output()


@pytest.mark.parametrize("port", [99999, 65534, -1])
def test_an_invalid_port_is_refused_in_one_line(tmp_path: Path, port: int) -> None:
    refused = Server(tmp_path / "state", port)

    assert refused.process.wait(PATIENCE) == 1
    reported = refused.output()
    assert "invalid port" in reported
    assert "Traceback" not in reported


def test_the_servers_of_a_cloud_that_is_run_are_not_ended(server: Server) -> None:
    def stop() -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "calor", "cloud", "stop", "--state-dir", str(server.state_dir)]
        return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)

    refused = stop()
    server.stop()

    assert refused.returncode == 1
    assert f"`calor serve` (process {server.process.pid}) runs the servers of" in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert stop().returncode == 0


def test_a_state_directory_has_one_server(server: Server) -> None:
    other = Server(server.state_dir, free_port())

    assert other.process.wait(PATIENCE) == 1
    assert "another server uses" in other.output()


def test_what_is_secret_can_be_read_by_its_owner_only(server: Server) -> None:
    for name in ("clouds.yaml", "passwords.json", "cloud.db"):
        assert (server.state_dir / name).stat().st_mode & 0o077 == 0, name


@pytest.mark.extended
def test_hidden_values_are_not_in_the_files(server: Server) -> None:
    token, project = server.token()
    api = httpx.Client(
        base_url=f"http://127.0.0.1:{server.port}/v1/{project}", headers={"X-Auth-Token": token}
    )
    template = {
        "heat_template_version": "2018-08-31",
        "parameters": {"password": {"type": "string", "hidden": True}},
        "resources": {"v": {"type": "OS::Heat::Value", "properties": {"value": {"get_param": "password"}}}},
        "outputs": {"o": {"value": {"get_attr": ["v", "value"]}}},
    }
    given = {"stack_name": "s", "template": template, "parameters": {"password": "Tr0ub4dor-and-3"}}
    made = api.post("/stacks", json=given).json()["stack"]
    end = time.monotonic() + PATIENCE
    shown: dict[str, Any] = {}
    while time.monotonic() < end and shown.get("stack_status") != "CREATE_COMPLETE":
        shown = api.get(f"/stacks/s/{made['id']}").json()["stack"]
        time.sleep(0.02)

    assert [one["output_value"] for one in shown["outputs"]] == ["Tr0ub4dor-and-3"]
    for file in server.state_dir.glob("calor.db*"):
        assert b"Tr0ub4dor-and-3" not in file.read_bytes(), file.name


def test_a_server_without_the_key_of_its_database_does_not_start(server: Server) -> None:
    server.stop()
    (server.state_dir / "key").write_bytes(Cipher.new_key())

    other = Server(server.state_dir, server.port)

    assert other.process.wait(PATIENCE) == 1
    reported = other.output()
    assert "was encrypted with another key" in reported
    assert "Traceback" not in reported


@pytest.mark.extended
def test_a_server_reads_with_older_keys(server: Server) -> None:
    server.stop()
    key = server.state_dir / "key"
    key.write_bytes(Cipher.new_key() + b"\n" + key.read_bytes())

    other = Server(server.state_dir, server.port)

    other.ready()
    other.stop()
