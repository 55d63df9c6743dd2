"""Connection options per service."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from calor.clouds.connection_options import ConnectionOptions, ServiceOptions, root_of
from calor.clouds.errors import Permanent
from calor.clouds.plain_requests import PlainSession
from calor.clouds.services import Services
from calor.clouds.sessions import ApplicationCredential, Cloud

ACCESS = Callable[[str], Cloud]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    """The URLs of requests, and how certificates were to be checked and shown."""
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    found: list[tuple[str, dict[str, Any]]] = []
    send = PlainSession.request

    def noted(session: PlainSession, method: str, url: str, **options: Any) -> Any:
        found.append((url, options))
        return send(session, method, url, **options)

    monkeypatch.setattr(PlainSession, "request", noted)
    return found


def reached(account_of: ACCESS, **options: Any) -> Services:
    cloud = Cloud(account_of("demo").account, options=ConnectionOptions(**options))
    return Services(cloud, cloud.service)


def test_a_service_is_verified_with_its_own_options(
    account_of: ACCESS, sent: list[Any], tmp_path: Path
) -> None:
    for_compute, for_all = (str(tmp_path / "own"),) * 2, (str(tmp_path / "all"),) * 2
    for file in (*for_compute, *for_all):
        Path(file).touch()
    own = ServiceOptions(verify="/ca.pem", certificate=for_compute)
    services = reached(account_of, services={"compute": own}, certificate=for_all)

    services.request("compute", "GET", "flavors")
    services.request("network", "GET", "networks")

    how = {url.split("/")[3]: (options["verify"], options.get("cert")) for url, options in sent}
    assert how["compute"] == ("/ca.pem", for_compute)
    assert how["network"] == (True, for_all)
    assert how["identity"] == (True, None)


def test_a_service_uses_its_own_interface(account_of: ACCESS) -> None:
    admin = account_of("admin")
    identity = admin.identity(admin.service)
    [compute] = identity.request("GET", "services", params={"type": "compute"})["services"]
    asked = {"service_id": compute["id"], "interface": "internal"}
    [before] = identity.request("GET", "endpoints", params=asked)["endpoints"]

    def move(url: str) -> None:
        identity.request("PATCH", "endpoints", before["id"], body={"endpoint": {"url": url}})

    move("http://hidden/v2.1")
    try:
        found = reached(account_of, services={"compute": ServiceOptions(interface="internal")})
        assert found.api("compute").url == "http://hidden/v2.1"
        assert "hidden" not in reached(account_of).api("compute").url
    finally:
        move(before["url"])


def test_a_configured_url_takes_precedence_over_the_catalog(account_of: ACCESS) -> None:
    url = "http://elsewhere:8004/v1/%(tenant_id)s"
    services = reached(account_of, services={"orchestration": ServiceOptions(url=url)})

    assert services.api("orchestration").url == f"http://elsewhere:8004/v1/{services.project_id}"


def test_shared_services_are_those_of_the_shared_region(account_of: ACCESS) -> None:
    services = reached(account_of, shared_region="Elsewhere", shared_types=frozenset({"image"}))

    services.request("compute", "GET", "flavors")
    with pytest.raises(Permanent, match="image service in Elsewhere"):
        services.request("image", "GET", "images")


@pytest.mark.parametrize(
    ("newest", "asked", "sent_version"), [("2.60", "2.79", "2.60"), ("2.90", "2.79", "2.79")]
)
def test_microversions_are_limited(
    account_of: ACCESS, sent: list[Any], newest: str, asked: str, sent_version: str
) -> None:
    reached(account_of, newest={"compute": newest}).request("compute", "GET", "flavors", version=asked)

    assert sent[-1][1]["headers"]["OpenStack-API-Version"] == f"compute {sent_version}"


def test_microversions_are_numbers() -> None:
    assert ConnectionOptions(newest={"compute": "2.9"}).limit_version("compute", "2.10") == "2.9"
    assert ConnectionOptions(newest={"compute": "2.9"}).limit_version("volume", "3.70") == "3.70"


@pytest.mark.parametrize(
    ("url", "root"),
    [
        ("https://nova:8774/v2.1", "https://nova:8774/"),
        ("https://all/volume/v3/abc", "https://all/volume/"),
        ("https://all/network", "https://all/network/"),
    ],
)
def test_what_all_projects_have_in_common(url: str, root: str) -> None:
    assert root_of(url) == root


class TestApplicationCredentials:
    @pytest.mark.parametrize("by", ["id", "name"])
    def test_the_service_account_can_log_in_with_one(self, cloud: Cloud, by: str) -> None:
        user = Services(cloud, cloud.service).user_id
        body = {"application_credential": {"name": f"calor-{by}", "secret": "s"}}
        made = cloud.identity(cloud.service).request(
            "POST", "users", user, "application_credentials", body=body
        )["application_credential"]

        given = ApplicationCredential("s", **{by: made[by]})
        bound = Cloud(replace(cloud.account, password="wrong", application_credential=given))

        assert Services(bound, bound.service).user_id == user
        with pytest.raises(Permanent, match="cannot be used for a trust"):
            bound.through_trust("t")
