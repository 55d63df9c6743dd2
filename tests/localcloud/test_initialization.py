"""What a cloud begins with, and what a further start leaves alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from calor.localcloud.__main__ import _config
from calor.localcloud.config import AnnouncedService, CloudConfig
from calor.localcloud.identity.records import Records
from calor.localcloud.server import initialize
from calor.localcloud.store import Store
from tests.support.cloud import Cloud


@pytest.fixture
def config(tmp_path: Path) -> CloudConfig:
    heat = AnnouncedService("orchestration", "heat", "http://127.0.0.1:8004/v1/%(project_id)s")
    return CloudConfig("127.0.0.1", 5000, tmp_path / "cloud.db", (heat,))


def endpoints(config: CloudConfig) -> set[tuple[str, str]]:
    store = Store(config.database)
    records = Records(store)
    types = {service.id: service.type for service in records.services.find()}
    found = {(types[endpoint.service_id], endpoint.url) for endpoint in records.endpoints.find()}
    assert len(records.endpoints.find()) == 3 * len(types)
    store.close()
    return found


def test_passwords_are_returned_once(config: CloudConfig) -> None:
    first = initialize(config).passwords
    assert set(first) == {"admin", "demo", "heat"}
    assert len(set(first.values())) == 3
    assert all(len(password) >= 20 for password in first.values())
    assert initialize(config).passwords == {}


def test_removed_accounts_are_not_seeded_again(config: CloudConfig) -> None:
    initialize(config)
    store = Store(config.database)
    records = Records(store)
    demo = records.users.first(name="demo")
    assert demo is not None
    records.users.remove(demo.id)
    store.close()
    assert initialize(config).passwords == {}


def test_endpoints_are_updated_when_services_move(config: CloudConfig) -> None:
    initialize(config)
    moved = replace(
        config, port=5001, announced=(AnnouncedService("orchestration", "heat", "http://other/"),)
    )
    initialize(moved)
    found = endpoints(moved)
    assert ("identity", "http://127.0.0.1:5001/identity") in found
    assert [url for kind, url in found if kind == "orchestration"] == ["http://other/"]
    assert not [url for _, url in found if ":5000" in url]


def test_endpoints_changed_by_an_admin_are_kept(config: CloudConfig) -> None:
    initialize(config)
    store = Store(config.database)
    records = Records(store)
    services = {service.type: service.id for service in records.services.find()}
    [compute] = records.endpoints.find(service_id=services["compute"], interface="public")
    records.endpoints.put(replace(compute, url="https://behind.a.proxy/compute"))
    records.endpoints.remove_where(service_id=services["image"], interface="admin")
    records.services.remove(services["network"])
    records.endpoints.remove_where(service_id=services["network"])
    store.close()

    initialize(replace(config, port=5001))

    store = Store(config.database)
    records = Records(store)
    found = {(endpoint.service_id, endpoint.interface): endpoint.url for endpoint in records.endpoints.find()}
    assert found[services["compute"], "public"] == "https://behind.a.proxy/compute"
    assert found[services["compute"], "internal"] == "http://127.0.0.1:5001/compute/v2.1"
    assert (services["image"], "admin") not in found
    assert "network" not in {service.type for service in records.services.find()}
    store.close()


def test_the_catalog_has_public_urls(config: CloudConfig) -> None:
    initialize(replace(config, public_url="https://cloud.example"))

    store = Store(config.database)
    records = Records(store)
    [identity] = records.services.find(type="identity")
    urls = {one.interface: one.url for one in records.endpoints.find(service_id=identity.id)}
    store.close()
    assert urls == {
        "public": "https://cloud.example/identity",
        "admin": "https://cloud.example/identity",
        "internal": "http://127.0.0.1:5000/identity",
    }


def test_ipv6_addresses_are_in_brackets(config: CloudConfig) -> None:
    assert replace(config, host="::1").url == "http://[::1]:5000"


def test_announced_services_on_the_command_line(tmp_path: Path) -> None:
    arguments = [
        "--database",
        str(tmp_path / "x"),
        "--announce",
        "a=http://a/?b=c",
        "--announce",
        "d:e=http://d",
    ]
    assert _config(arguments).announced == (
        AnnouncedService("a", "a", "http://a/?b=c"),
        AnnouncedService("d", "e", "http://d"),
    )
    with pytest.raises(SystemExit):
        _config(["--database", "x", "--announce", "nonsense"])


def test_the_private_key_of_the_seeded_keypair_is_readable_by_its_owner_only(cloud: Cloud) -> None:
    key = cloud.database.with_suffix("") / "keys" / "dxl-key.pem"
    assert key.read_text().startswith("-----BEGIN OPENSSH PRIVATE KEY-----")
    assert key.stat().st_mode & 0o777 == 0o600
    before = key.read_bytes()
    cloud.restart()
    assert key.read_bytes() == before
