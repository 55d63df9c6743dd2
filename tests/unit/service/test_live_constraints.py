"""Custom constraints that look up objects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import pytest

from calor.clouds.errors import CloudError, Forbidden, Transient
from calor.clouds.lookups import Lookups
from calor.clouds.services import Services
from calor.service.errors import ServiceError
from calor.service.live_constraints import LiveConstraints
from calor.types.custom_constraints import offline


class Catalog:
    """A cloud that has some things, by the names of their collections."""

    project_id = "p1"
    user_id = "u1"
    rights = "p1"

    def __init__(self, *, missing: str = "", fails: CloudError | None = None, **things: list[str]) -> None:
        self._things = things
        self._missing = missing
        self._fails = fails
        self.asked: list[str] = []

    def as_service(self) -> Catalog:
        return self

    def has(self, service: str) -> bool:
        return service != self._missing

    def show(self, service: str, *path: str, version: str | None = None) -> dict[str, Any] | None:
        self.asked.append("/".join(path))
        if self._fails is not None:
            raise self._fails
        return None

    def each(self, service: str, *path: str, key: str, **more: Any) -> Iterator[dict[str, Any]]:
        if self._fails is not None:
            raise self._fails
        yield from ({"id": f"id-of-{name}", "name": name} for name in self._things.get(path[0], ()))


def judging(catalog: Catalog, lookups: Lookups | None = None) -> LiveConstraints:
    return LiveConstraints(cast(Services, catalog), lookups or Lookups(), offline)


def test_what_is_there_is_fine() -> None:
    assert judging(Catalog(flavors=["m1.tiny"]))("nova.flavor", "m1.tiny") is None


def test_what_is_not_there_is_reported() -> None:
    problem = judging(Catalog())("nova.flavor", "m1.mega")

    assert problem == "Error validating value 'm1.mega': The flavor (m1.mega) could not be found."


def test_a_name_much_like_it_is_suggested() -> None:
    problem = judging(Catalog(flavors=["m1.small", "m1.tiny"]))("nova.flavor", "m1.tinny")

    assert problem is not None
    assert problem.endswith("The flavor (m1.tinny) could not be found. Did you mean m1.tiny?")


def test_what_there_are_several_of_is_reported_too() -> None:
    problem = judging(Catalog(networks=["net", "net"]))("neutron.network", "net")

    assert problem is not None
    assert "The name of the network 'net' is ambiguous (2 match)" in problem


def test_each_value_is_looked_up_once() -> None:
    catalog = Catalog(flavors=["m1.tiny"])
    judge = judging(catalog)

    for _ in range(500):
        judge("nova.flavor", "m1.tiny")
        judge("nova.flavor", "m1.mega")

    assert catalog.asked == ["flavors/m1.tiny", "flavors/m1.mega"]


def test_what_is_there_is_remembered_for_the_project() -> None:
    catalog, lookups = Catalog(flavors=["m1.tiny"]), Lookups()

    for _ in range(2):
        judging(catalog, lookups)("nova.flavor", "m1.tiny")

    assert len(catalog.asked) == 1


def test_forms_are_judged_without_a_cloud() -> None:
    catalog = Catalog()

    assert judging(catalog)("ip_addr", "nonsense") is not None
    assert catalog.asked == []


def test_a_server_may_have_no_key() -> None:
    judge = judging(Catalog())

    assert judge("nova.keypair", "") is None
    assert judge("nova.keypair", "lost") is not None


def test_who_must_not_look_is_not_held_up() -> None:
    assert judging(Catalog(fails=Forbidden("no", status=403)))("keystone.user", "eve") is None


def test_a_service_that_is_unavailable_is_reported() -> None:
    with pytest.raises(ServiceError) as refused:
        judging(Catalog(fails=Transient("connection refused")))("nova.flavor", "m1.tiny")

    assert refused.value.kind == "HTTPServiceUnavailable"
    assert "cannot be looked up at present: connection refused" in str(refused.value)


def test_a_service_that_is_missing_is_reported_at_the_end() -> None:
    judge = judging(Catalog(missing="image"))

    assert judge("glance.image", "cirros") is None
    with pytest.raises(ServiceError, match="the cloud has no image service"):
        judge.check_services()


class TestZones:
    """What Fn::GetAZs gives."""

    class Zones(Catalog):
        def each(self, service: str, *path: str, key: str, **more: Any) -> Iterator[dict[str, Any]]:
            assert (service, path, key) == ("compute", ("os-availability-zone",), "availabilityZoneInfo")
            list(super().each(service, *path, key=key))
            self.asked.append("zones")
            yield from ({"zoneName": name, "zoneState": {"available": True}} for name in ("nova", "far"))

    def test_the_cloud_is_asked_once(self) -> None:
        cloud, lookups = self.Zones(), Lookups()
        assert judging(cloud, lookups).zones() == ("nova", "far")
        assert judging(cloud, lookups).zones() == ("nova", "far")
        assert cloud.asked == ["zones"]

    def test_a_cloud_without_servers_has_none(self) -> None:
        assert judging(self.Zones(missing="compute")).zones() == ()

    def test_a_cloud_that_does_not_answer_is_reported(self) -> None:
        with pytest.raises(ServiceError, match="availability zones"):
            judging(self.Zones(fails=Transient("away"))).zones()
