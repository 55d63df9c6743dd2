"""Types that need an extension of their service."""

from __future__ import annotations

import pytest

from calor.clouds.errors import Forbidden
from calor.service.availability import check_extensions, extended
from calor.service.errors import ServiceError
from calor.types.world import offline_world


def names(*types: str) -> list[str]:
    return [one.type_name for one in extended(offline_world(), types)]


def test_most_types_need_no_extension() -> None:
    assert names("OS::Neutron::Net", "OS::Neutron::Router", "No::Such", "OS::Cinder::QoSSpecs") == [
        "OS::Neutron::Router",
        "OS::Cinder::QoSSpecs",
    ]


def test_each_service_is_asked_for_its_own() -> None:
    asked: list[str] = []

    def extensions(service: str) -> frozenset[str]:
        asked.append(service)
        return frozenset({"router"})

    types = extended(offline_world(), ["OS::Neutron::Router", "OS::Cinder::QoSSpecs"])
    with pytest.raises(ServiceError, match="extension qos-specs in cinder service is not available"):
        check_extensions(types, extensions)

    assert asked == ["network", "volume"]


def test_a_service_that_does_not_tell_is_tried() -> None:
    def extensions(service: str) -> frozenset[str]:
        raise Forbidden("No.", status=403)

    check_extensions(extended(offline_world(), ["OS::Neutron::Router"]), extensions)
