"""Every list of every service ends, however it is read: by its links, or by the marker of what came last, as clients of
OpenStack do it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from starlette.routing import Route

from tests.support.cloud import Cloud
from tests.support.compute import Computing

MOST = 100
"""More requests than any list here has items."""

NEWEST = {"compute": "compute 2.96", "volume": "volume 3.70"}

NOT_PAGED = {
    # Genuine services have these whole, whatever limit and marker say, and clients ask for them once.
    "/compute/v2.1/os-aggregates",
    "/compute/v2.1/os-availability-zone",
    "/compute/v2.1/os-availability-zone/detail",
    "/compute/v2.1/os-services",
    "/compute/v2.1/extensions",
    "/network/v2.0/extensions",
    "/network/v2.0/service-providers",
    "/network/v2.0/floatingip_pools",
    "/network/v2.0/qos/rule-types",
    "/network/v2.0/availability_zones",
    "/network/v2.0/quotas",
    "/volume/v3/{project_id}/os-availability-zone",
    "/volume/v3/{project_id}/os-services",
    "/volume/v3/{project_id}/scheduler-stats/get_pools",
    "/volume/v3/{project_id}/extensions",
    "/volume/v3/{project_id}/resource_filters",
    "/volume/v3/{project_id}/default-types",
    "/image/v2/info/stores",
    "/image/v2/metadefs/resource_types",
    "/identity/v3/auth/catalog",
    "/identity/v3/auth/projects",
    "/identity/v3/auth/domains",
    "/identity/v3/auth/system",
    "/identity/v3/role_inferences",
    "/identity/v3/role_assignments",
}


def unwrapped(app: Any) -> Any:
    """The application that has the routes."""
    while not hasattr(app, "routes"):
        app = app._app
    return app


def list_paths(cloud: Cloud) -> Iterator[str]:
    """Paths of lists of all services: those without anything to fill in but the project."""
    for mount in unwrapped(cloud.client.app).routes:
        for route in unwrapped(mount.app).routes:
            path = f"{mount.path}{route.path}"
            bare = path.replace("{project_id}", "")
            is_list = isinstance(route, Route) and "GET" in (route.methods or ()) and "{" not in bare
            if (
                is_list
                and len(path.split("/")) > 3
                and path[-1] != "/"
                and not path.startswith(("/compute/v2/", "/faults"))
            ):
                yield path


@pytest.fixture
def full(cloud: Cloud) -> Cloud:
    """A cloud with several of many things."""
    compute = Computing(cloud)
    compute.network()
    for number in range(3):
        compute.server(name=f"s{number}")
        volumes = f"volume/v3/{compute.project_id}"
        given, attached = (compute.volume(name=f"{kind}{number}")["id"] for kind in "va")
        transfer = {"transfer": {"volume_id": given}}
        assert compute.post("/os-volume-transfer", transfer, service=volumes).status_code == 202
        attachment = {"attachment": {"volume_uuid": attached}}
        headers = {"X-Auth-Token": cloud.token_of("demo"), "OpenStack-API-Version": "volume 3.70"}
        made = cloud.client.post(f"/{volumes}/attachments", json=attachment, headers=headers)
        assert made.status_code == 200, made.text
        admins = {"service": f"volume/v3/{cloud.id_of('projects', 'admin')}", "user": "admin"}
        assert compute.post("/types", {"volume_type": {"name": f"t{number}"}}, **admins).status_code == 200
        assert compute.post("/qos-specs", {"qos_specs": {"name": f"q{number}"}}, **admins).status_code == 200
        assert compute.post("/os-keypairs", {"keypair": {"name": f"k{number}"}}).status_code == 200
        group = {"name": f"g{number}", "policies": ["affinity"]}
        assert compute.post("/os-server-groups", {"server_group": group}).status_code == 200
        cloud.make("/users", "user", name=f"u{number}")
        cloud.make("/groups", "group", name=f"g{number}")
        cloud.make("/domains", "domain", name=f"d{number}")
        cloud.make("/projects", "project", name=f"p{number}")
        cloud.make("/regions", "region", id=f"r{number}")
    return cloud


def items_of(body: Any) -> list[Any] | None:
    """The one list that an answer has, if it has one."""
    found = [value for name, value in body.items() if isinstance(value, list) and not name.endswith("links")]
    return found[0] if len(found) == 1 else None


def marker_of(item: Any) -> str | None:
    if isinstance(item, dict):
        if "server_usages" in item:
            return str(item["server_usages"][-1]["instance_id"])
        inner = item.get("keypair", item)
        for name in ("id", "request_id", "name"):
            if name in inner and (name != "id" or "keypair" not in item):
                return str(inner[name])
    return None


class Reader:
    def __init__(self, cloud: Cloud, path: str) -> None:
        self._cloud = cloud
        project = cloud.id_of("projects", "admin" if "identity" in path else "demo")
        self.path = path.replace("{project_id}", project)
        service = path.split("/")[1]
        who = (
            "admin"
            if any(word in path for word in ("identity", "usage", "hypervisors", "agents", "qos-specs"))
            else "demo"
        )
        self._headers = {"X-Auth-Token": cloud.token_of(who)}
        if service in NEWEST:
            self._headers["OpenStack-API-Version"] = NEWEST[service]

    def get(self, address: str, **params: str) -> Any:
        answer = self._cloud.client.get(address, params=params or None, headers=self._headers)
        return answer.json() if answer.status_code == 200 else None

    def by_marker(self, **params: str) -> list[str] | None:
        """The markers of all items, read one page after another until one is empty; None if it never is."""
        seen: list[str] = []
        asked = dict(params)
        for _ in range(MOST):
            items = items_of(self.get(self.path, **asked) or {})
            if not items:
                return seen
            markers = [marker for item in items if (marker := marker_of(item)) is not None]
            if not markers:
                return seen
            seen += markers
            asked["marker"] = markers[-1]
        return None

    def by_links(self) -> int | None:
        """How many pages there are by links; None if there is no end of them."""
        address: str | None = f"{self.path}?limit=1"
        for count in range(MOST):
            if address is None:
                return count
            address = _next(self.get(address) or {})
        return None


def _next(body: Any) -> str | None:
    for name, links in body.items():
        if name.endswith("links"):
            found = (
                links.get("next")
                if isinstance(links, dict)
                else next((link["href"] for link in links if link["rel"] == "next"), None)
            )
            if found:
                parts = urlsplit(found)
                return f"{parts.path}?{parts.query}"
    following = body.get("next")
    if isinstance(following, str):
        parts = urlsplit(following)
        # The image service writes it without its root.
        root = "" if parts.path.startswith("/image") else "/image"
        return f"{root}{parts.path}?{parts.query}"
    return None


def test_every_list_ends(full: Cloud) -> None:
    endless, paged = [], 0
    for path in list_paths(full):
        if path in NOT_PAGED:
            continue
        reader = Reader(full, path)
        detailed = {"detailed": "1"} if "usage" in path else {}
        whole = items_of(reader.get(reader.path, **detailed) or {})
        if not whole or marker_of(whole[0]) is None:
            continue
        for params in ({}, {"limit": "1"}):
            read = reader.by_marker(**params, **detailed)
            if read is None or len(set(read)) != len(read):
                endless.append(f"{path} {params}")
        if reader.by_links() is None:
            endless.append(f"{path} by links")
        paged += 1

    assert not endless, "\n".join(endless)
    assert paged > 25


def test_usage_pages_split_projects(full: Cloud) -> None:
    compute = Computing(full, version="2.40")
    path = f"/os-simple-tenant-usage/{compute.project_id}"
    names: list[str] = []
    query = "?limit=1"
    for _ in range(MOST):
        usage = compute.get(path + query)["tenant_usage"]
        if not usage:
            break
        [one] = usage["server_usages"]
        names.append(one["name"])
        query = f"?limit=1&marker={one['instance_id']}"

    assert sorted(names) == ["s0", "s1", "s2"]
    assert compute.get(f"{path}?limit=1")["tenant_usage_links"][0]["rel"] == "next"
    # Before 2.40 nobody asked for pages.
    assert len(compute.get(f"{path}?limit=1", version="2.39")["tenant_usage"]["server_usages"]) == 3


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/identity/v3/projects", 404),
        ("/compute/v2.1/servers", 400),
        ("/compute/v2.1/flavors", 400),
        ("/image/v2/images", 400),
        ("/image/v2/metadefs/namespaces", 404),
        ("/image/v2/metadefs/namespaces/Calor::OperatingSystem/objects", 404),
        ("/image/v2/metadefs/namespaces/Calor::OperatingSystem/tags", 404),
        ("/network/v2.0/networks", 400),
        ("/volume/v3/{project_id}/volumes", 404),
        ("/volume/v3/{project_id}/types", 404),
    ],
)
def test_unknown_markers_are_rejected(cloud: Cloud, path: str, status: int) -> None:
    path = path.replace("{project_id}", cloud.id_of("projects", "admin"))
    headers = {"X-Auth-Token": cloud.token_of("admin")}
    answer = cloud.client.get(path, params={"marker": "nothing"}, headers=headers)

    assert answer.status_code == status, answer.text
