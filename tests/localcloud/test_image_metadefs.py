"""Definitions of metadata in the image service."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest

from tests.support.cloud import Cloud
from tests.support.storage import Speaker, image_speaker

NAMESPACE: dict[str, Any] = {
    "namespace": "OS::Compute::Watchdog",
    "display_name": "Watchdog",
    "visibility": "public",
    "properties": {"hw_watchdog_action": {"title": "Action", "type": "string"}},
    "objects": [{"name": "o", "properties": {}}],
    "tags": [{"name": "t"}],
    "resource_type_associations": [{"name": "OS::Glance::Image"}],
}
ALL = "/metadefs/namespaces"
ONE = f"{ALL}/OS::Compute::Watchdog"


@pytest.fixture
def demo(cloud: Cloud) -> Speaker:
    return image_speaker(cloud)


@pytest.fixture
def admin(cloud: Cloud) -> Speaker:
    made = image_speaker(cloud, "admin")
    for furnished in made.get(ALL)["namespaces"]:
        assert made("DELETE", f"{ALL}/{furnished['namespace']}").status_code == 204
    assert made.get(ALL)["namespaces"] == []
    assert made("POST", ALL, NAMESPACE).status_code == 201
    return made


@pytest.mark.parametrize("name", ["namespace", "namespaces", "object", "property", "tag", "resource_type"])
def test_schemas(demo: Speaker, name: str) -> None:
    assert "properties" in demo.get(f"/schemas/metadefs/{name}")


def test_a_missing_schema(demo: Speaker) -> None:
    assert demo("GET", "/schemas/metadefs/none").status_code == 404


@pytest.mark.parametrize(
    "type",
    ["OS::Glance::Image"]
    + [f"OS::Nova::{name}" for name in ("Aggregate", "Flavor", "Server")]
    + [f"OS::Cinder::{name}" for name in ("Snapshot", "Volume", "VolumeType")],
)
def test_a_new_cloud_has_definitions(demo: Speaker, type: str) -> None:
    """Horizon fails where there are none."""
    [listed] = demo.get(f"{ALL}?resource_types={type}")["namespaces"]
    found = demo.get(f"{ALL}/{listed['namespace']}?resource_type={type}")
    assert {"os_distro", "os_version"} <= found["properties"].keys()


class TestNamespaces:
    def test_public_namespaces_are_visible_to_all(self, demo: Speaker, admin: Speaker) -> None:
        [listed] = demo.get(ALL)["namespaces"]
        assert [one["name"] for one in listed["resource_type_associations"]] == ["OS::Glance::Image"]
        assert (listed["namespace"], listed["schema"]) == (
            NAMESPACE["namespace"],
            "/v2/schemas/metadefs/namespace",
        )
        whole = demo.get(ONE)
        assert whole["properties"] == NAMESPACE["properties"]
        assert [one["name"] for one in whole["objects"]] == ["o"]
        assert whole["tags"] == [{"name": "t"}]

    def test_filters_by_resource_type(self, demo: Speaker, admin: Speaker) -> None:
        [found] = demo.get(f"{ALL}?resource_types=OS::Glance::Image,OS::Other")["namespaces"]
        assert [one["name"] for one in found["resource_type_associations"]] == ["OS::Glance::Image"]
        assert demo.get(f"{ALL}?resource_types=OS::Nova::Flavor")["namespaces"] == []
        [kind] = demo.get("/metadefs/resource_types")["resource_types"]
        assert kind["name"] == "OS::Glance::Image"

    @pytest.mark.parametrize("more", [{}, {"display_name": None, "owner": None, "description": None}])
    def test_namespaces_match_the_schema(self, demo: Speaker, admin: Speaker, more: dict[str, Any]) -> None:
        """python-glanceclient checks that."""
        association = {"name": "OS::Nova::Flavor", "prefix": None, "properties_target": None}
        made = {**NAMESPACE, "namespace": "n", "resource_type_associations": [association], **more}
        assert admin("POST", ALL, made).status_code == 201
        schema = demo.get("/schemas/metadefs/namespace")
        listed = demo.get(f"{ALL}?resource_types=OS::Nova::Flavor,OS::Glance::Image")["namespaces"]
        assert len(listed) == 2
        for answer in (*listed, demo.get(f"{ALL}/n"), demo.get(ONE)):
            jsonschema.validate(answer, schema)

    def test_property_prefixes_of_resource_types(self, demo: Speaker, admin: Speaker) -> None:
        limits = {
            "name": "o",
            "required": ["max"],
            "properties": {"max": {"type": "integer", "title": "Max"}},
        }
        association = {"name": "OS::Nova::Flavor", "prefix": "hw:"}
        more = {"namespace": "n", "objects": [limits], "resource_type_associations": [association]}
        assert admin("POST", ALL, {**NAMESPACE, **more}).status_code == 201
        found = demo.get(f"{ALL}/n?resource_type=OS::Nova::Flavor")
        assert list(found["properties"]) == ["hw:hw_watchdog_action"]
        [shown] = found["objects"]
        assert (list(shown["properties"]), shown["required"]) == (["hw:max"], ["hw:max"])
        for other in ("", "?resource_type=OS::Glance::Image"):
            assert demo.get(f"{ALL}/n{other}")["properties"] == NAMESPACE["properties"]

    def test_only_admins_change_namespaces(self, demo: Speaker, admin: Speaker) -> None:
        change = {"namespace": NAMESPACE["namespace"], "visibility": "private", "protected": True}
        assert demo("POST", ALL, {"namespace": "mine"}).status_code == 403
        assert demo("PUT", ONE, change).status_code == 403
        assert demo("DELETE", ONE).status_code == 403
        assert admin("POST", ALL, NAMESPACE).status_code == 409
        assert admin("PUT", ONE, change).status_code == 200
        assert demo("GET", ONE).status_code == 404
        assert demo.get(ALL)["namespaces"] == []
        assert admin("DELETE", ONE).status_code == 403
        assert admin("PUT", ONE, {**change, "protected": False}).status_code == 200
        assert admin("DELETE", ONE).status_code == 204
        assert admin.get(ALL)["namespaces"] == []

    def test_pagination(self, admin: Speaker) -> None:
        for number in range(3):
            assert admin("POST", ALL, {"namespace": f"n{number}"}).status_code == 201
        names, address = [], f"{ALL}?limit=1"
        while address:
            page = admin.get(address)
            names += [one["namespace"] for one in page["namespaces"]]
            address = page.get("next", "").removeprefix("/v2")
        assert sorted(names) == sorted([NAMESPACE["namespace"], "n0", "n1", "n2"])


class TestParts:
    @pytest.mark.parametrize(
        ("kind", "name", "body"),
        [
            ("properties", "p", {"name": "p", "title": "P", "type": "integer"}),
            ("objects", "q", {"name": "q", "description": "d", "properties": {}}),
        ],
    )
    def test_properties_and_objects(
        self, demo: Speaker, admin: Speaker, kind: str, name: str, body: dict[str, Any]
    ) -> None:
        path = f"{ONE}/{kind}"
        assert demo("POST", path, body).status_code == 403
        assert admin("POST", path, body).status_code == 201
        assert admin("POST", path, body).status_code == 409
        assert body.items() <= demo.get(f"{path}/{name}").items()
        assert admin("PUT", f"{path}/{name}", {**body, "title": "Other"}).status_code == 200
        assert demo.get(f"{path}/{name}")["title"] == "Other"
        assert len(demo.get(path)[kind]) == 2
        assert admin("DELETE", f"{path}/{name}").status_code == 204
        assert demo("GET", f"{path}/{name}").status_code == 404
        assert admin("DELETE", path).status_code == 204
        assert len(demo.get(path)[kind]) == 0

    def test_tags(self, demo: Speaker, admin: Speaker) -> None:
        path = f"{ONE}/tags"
        assert admin("POST", f"{path}/u").status_code == 201
        assert demo.get(path)["tags"] == [{"name": "t"}, {"name": "u"}]
        assert demo.get(f"{path}/u") == {"name": "u"}
        assert admin("DELETE", f"{path}/u").status_code == 204
        assert admin("POST", path, {"tags": [{"name": "v"}]}).status_code == 201
        assert demo.get(path)["tags"] == [{"name": "v"}]

    def test_resource_type_associations(self, demo: Speaker, admin: Speaker) -> None:
        path = f"{ONE}/resource_types"
        assert admin("POST", path, {"name": "OS::Nova::Flavor", "prefix": "hw:"}).status_code == 201
        assert admin("POST", path, {"name": "OS::Nova::Flavor"}).status_code == 409
        found = demo.get(path)["resource_type_associations"]
        assert [(one["name"], one.get("prefix")) for one in found] == [
            ("OS::Glance::Image", None),
            ("OS::Nova::Flavor", "hw:"),
        ]
        assert admin("DELETE", f"{path}/OS::Nova::Flavor").status_code == 204
        assert admin("DELETE", f"{path}/OS::Nova::Flavor").status_code == 404
