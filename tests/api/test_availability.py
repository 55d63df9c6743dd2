"""Resource types whose service the caller's catalog does not have."""

from __future__ import annotations

from typing import Any

import pytest

from calor.api.auth import Identity
from calor.service.availability import SERVICE_TYPES
from calor.types import catalogue
from tests.support.api import Door, error, token

SMALL_CLOUD = token() + ":identity,orchestration"
NETWORK = token() + ":identity,orchestration,network"
CONTAINERS = token() + ":identity,orchestration,application-container"


def using(type_name: str, **properties: Any) -> dict[str, Any]:
    resource = {"type": type_name, "properties": properties}
    return {"heat_template_version": "2021-04-16", "resources": {"r": resource}}


NET = using("OS::Neutron::Net")
GROUP = using("OS::Heat::ResourceGroup", count=1, resource_def={"type": "OS::Neutron::Net"})


@pytest.fixture
def small(door: Door) -> Door:
    return door.by(SMALL_CLOUD)


@pytest.fixture
def networks_can_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    declared = catalogue.declaration("OS::Neutron::Net")
    monkeypatch.setattr(declared, "create", lambda ctx, props: None, raising=False)


class TestStacks:
    @pytest.mark.parametrize("template", [NET, GROUP], ids=["at the top", "in a group"])
    @pytest.mark.parametrize("path", ["/stacks", "/stacks/preview", "/validate"])
    def test_are_refused(self, small: Door, path: str, template: dict[str, Any]) -> None:
        found = error(small("POST", path, {"stack_name": "s", "template": template}), 400)

        assert found["type"] == "ResourceTypeUnavailable"
        assert found["message"].startswith("HEAT-E99001 Service neutron is not available")
        assert "OS::Neutron::Net" in found["message"]

    def test_are_not_updated_to_need_one(self, small: Door) -> None:
        path = small.create()

        assert error(small("PUT", path, {"template": NET}), 400)["type"] == "ResourceTypeUnavailable"

    @pytest.mark.usefixtures("networks_can_be_made")
    def test_with_the_service_they_are_made(self, door: Door) -> None:
        door.by(NETWORK).create(template=NET)

    @pytest.mark.parametrize("services", [CONTAINERS, SMALL_CLOUD], ids=["with", "without"])
    def test_what_cannot_be_created_is_reported_whatever_services_there_are(
        self, door: Door, services: str
    ) -> None:
        template = using("OS::Zun::Container", image="busybox")
        found = error(door.by(services)("POST", "/stacks", {"stack_name": "s", "template": template}), 400)

        assert found["type"] == "ResourceTypeUnavailable"
        assert found["message"] == (
            "HEAT-E99001 This version of Calor cannot create resources of type OS::Zun::Container."
        )

    def test_types_of_heat_itself_need_none(self, small: Door) -> None:
        small.create(template=using("AWS::CloudFormation::WaitConditionHandle"))
        small.create("t", template=using("OS::Heat::SoftwareConfig"))


class TestValidation:
    def test_passes_over_it_when_asked_to(self, small: Door) -> None:
        assert small("POST", "/validate?ignore_errors=99001", {"template": NET}).status_code == 200

    def test_but_not_over_others(self, small: Door) -> None:
        error(small("POST", "/validate?ignore_errors=99002", {"template": NET}), 400)


class TestTypes:
    @pytest.mark.usefixtures("networks_can_be_made")
    def test_lists_have_only_those_with_a_service(self, door: Door, small: Door) -> None:
        names = small.get("/resource_types")["resource_types"]

        assert "OS::Heat::Stack" in names
        assert "AWS::CloudFormation::Stack" in names
        assert not [name for name in names if name.startswith(("OS::Neutron::", "OS::Nova::"))]
        assert "OS::Neutron::Net" in door.by(NETWORK).get("/resource_types")["resource_types"]
        assert "OS::Nova::Server" not in door.by(NETWORK).get("/resource_types")["resource_types"]

    @pytest.mark.parametrize("path", ["OS::Nova::Server", "OS::Nova::Server/template"])
    def test_others_are_not_described(self, small: Door, path: str) -> None:
        assert error(small("GET", f"/resource_types/{path}"), 400)["type"] == "ResourceTypeUnavailable"

    def test_a_catalog_that_is_not_known_has_all(self, door: Door) -> None:
        assert "OS::Nova::Server" in door.get("/resource_types")["resource_types"]


class TestCatalogs:
    USER = {"user": {"id": "u", "name": "n", "domain": {"id": "default"}}}

    def services(self, **parts: Any) -> frozenset[str] | None:
        return Identity.of_token("token", {**self.USER, **parts}, 0.0).services

    def test_come_with_the_token(self) -> None:
        catalog = [{"type": "network", "endpoints": [{}]}, {"type": "compute", "endpoints": []}]

        assert self.services(catalog=catalog) == {"network"}

    def test_may_be_missing(self) -> None:
        assert self.services() is None

    def test_have_a_name_for_every_service_that_a_type_needs(self) -> None:
        declared = [catalogue.declaration(name) for name in catalogue.names()]

        assert {one.service for one in declared if one is not None} - {None} <= set(SERVICE_TYPES)
