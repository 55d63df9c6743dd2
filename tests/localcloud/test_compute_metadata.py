"""What servers are told of themselves."""

from __future__ import annotations

import json
from base64 import b64encode
from dataclasses import dataclass
from typing import Any

import pytest

from calor.localcloud.backend import MetadataRequest
from tests.support.cloud import Cloud
from tests.support.compute import Computing
from tests.support.machinery import Watched

ADDRESS = "10.9.0.5"


@dataclass
class Guest:
    """A server, from inside."""

    backend: Watched
    network_id: str
    server: dict[str, Any]

    def ask(
        self, path: str, method: str = "GET", body: bytes = b"", address: str = ADDRESS
    ) -> tuple[int, str]:
        question = MetadataRequest(self.network_id, address, method, path, {}, body)
        answer = self.backend.answer(question)
        return answer.status, answer.body.decode()

    def read(self, path: str) -> str:
        status, text = self.ask(path)
        assert status == 200
        return text


@pytest.fixture
def compute(watched_cloud: Cloud) -> Computing:
    return Computing(watched_cloud)


@pytest.fixture
def guest(compute: Computing, backend: Watched) -> Guest:
    network = compute.network()
    server = compute.server(
        networks=[{"uuid": network["id"], "fixed_ip": ADDRESS, "tag": "inner"}],
        metadata={"role": "web"},
        key_name="dxl-key",
        user_data=b64encode(b"#!/bin/sh\necho hello\n").decode(),
    )
    return Guest(backend, network["id"], server)


def test_openstack_metadata(guest: Guest) -> None:
    assert {"2012-08-10", "latest"} <= set(guest.read("/openstack").split())
    listed = guest.read("/openstack/latest/").split()
    assert {"meta_data.json", "network_data.json", "user_data", "vendor_data.json", "password"} <= set(listed)
    reported = json.loads(guest.read("/openstack/latest/meta_data.json"))
    assert (reported["uuid"], reported["name"], reported["meta"]) == (
        guest.server["id"],
        "web",
        {"role": "web"},
    )
    assert reported["public_keys"]["dxl-key"].startswith("ssh-")
    assert reported["devices"][0]["tags"] == ["inner"]
    assert guest.read("/openstack/2018-08-27/user_data") == "#!/bin/sh\necho hello\n"
    assert guest.read("/openstack/latest/vendor_data.json") == "{}"


def test_network_data(guest: Guest) -> None:
    reported = json.loads(guest.read("/openstack/latest/network_data.json"))
    [link], [network] = reported["links"], reported["networks"]
    assert (network["ip_address"], network["netmask"], network["link"]) == (
        ADDRESS,
        "255.255.255.0",
        link["id"],
    )
    assert network["routes"][0] == {"network": "0.0.0.0", "netmask": "0.0.0.0", "gateway": "10.9.0.1"}


def test_ec2_metadata(guest: Guest) -> None:
    assert "latest" in guest.read("/").split()
    assert guest.read("/latest").split() == ["meta-data/", "user-data"]
    assert "placement/" in guest.read("/2009-04-04/meta-data/").split()
    assert guest.read("/latest/meta-data/local-ipv4") == ADDRESS
    assert guest.read("/latest/meta-data/hostname") == "web.novalocal"
    assert guest.read("/latest/meta-data/instance-type") == "m1.nano"
    assert guest.read("/latest/meta-data/public-keys/") == "0=dxl-key"
    assert guest.read("/latest/meta-data/public-keys/0/openssh-key").startswith("ssh-")
    assert guest.read("/latest/meta-data/placement/availability-zone") == "nova"
    assert guest.read("/latest/user-data").startswith("#!/bin/sh")


def test_a_password_can_be_posted_once(compute: Computing, guest: Guest) -> None:
    path = "/openstack/latest/password"
    assert guest.ask(path, "POST", b"x" * 256)[0] == 400
    assert guest.ask(path, "POST", b"secret")[0] == 200
    assert guest.ask(path, "POST", b"other")[0] == 409
    assert guest.read(path) == "secret"
    shown = compute.get(f"/servers/{guest.server['id']}/os-server-password")
    assert shown == {"password": "secret"}
    assert compute.call("DELETE", f"/servers/{guest.server['id']}/os-server-password").status_code == 204
    assert guest.read(path) == ""


@pytest.mark.parametrize(
    "path", ["/openstack/1999-01-01", "/openstack/latest/x", "/latest/meta-data/x", "/x", "/latest/x"]
)
def test_missing_paths(guest: Guest, path: str) -> None:
    assert guest.ask(path)[0] == 404


def test_unknown_addresses_get_not_found(guest: Guest) -> None:
    assert guest.ask("/openstack", address="10.9.0.77")[0] == 404


OLD = "2.56"
HELLO = b64encode(b"hello").decode()


def test_injected_files_are_on_the_config_drive(compute: Computing, backend: Watched) -> None:
    files = [{"path": "/etc/one", "contents": HELLO}, {"path": "two", "contents": ""}]
    server = compute.server(version=OLD, personality=files, config_drive=True)
    plan = backend.booted[-1]
    assert plan.files == (("/etc/one", b"hello"), ("/two", b""))
    assert plan.config_drive is not None
    assert plan.config_drive["openstack/content/0000"] == b"hello"
    reported = json.loads(plan.config_drive["openstack/latest/meta_data.json"])
    assert reported["files"] == [
        {"path": "/etc/one", "content_path": "/content/0000"},
        {"path": "two", "content_path": "/content/0001"},
    ]
    again = {"imageRef": compute.image_id(), "personality": files[:1]}
    assert compute.act(server, "rebuild", again, version=OLD).status_code == 202
    compute.wait_for(server["id"], "ACTIVE")
    assert backend.booted[-1].files == (("/etc/one", b"hello"),)


@pytest.mark.parametrize(
    ("files", "status"),
    [
        ([{"path": f"/{number}", "contents": ""} for number in range(6)], 403),
        ([{"path": "/x", "contents": b64encode(bytes(10_241)).decode()}], 403),
        ([{"path": "/" + 255 * "x", "contents": ""}], 403),
        ([{"path": "/x", "contents": "x"}], 400),
        ([{"path": "/x", "contents": b64encode(bytes(10_240)).decode()}] * 5, 202),
    ],
)
def test_injected_files_are_limited(compute: Computing, files: Any, status: int) -> None:
    assert compute.create(version=OLD, personality=files).status_code == status
