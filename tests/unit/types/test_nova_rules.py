"""What servers and other resources of the compute service refuse before anything is created."""

from typing import Any

import pytest

from calor.language.schema import Problem
from calor.language.values import Secret, Unknown
from calor.resources.contract import ResourceType
from calor.types.nova.quota import Quota
from calor.types.nova.server.server import Server

ATTRIBUTE = Unknown()
REFERENCE = Unknown("some_resource")

FAILED = "StackValidationFailed"
CONFLICT = "ResourcePropertyConflict"
UNSPECIFIED = "PropertyUnspecifiedError"


def problems(kind: type[ResourceType], **given: Any) -> list[Problem]:
    values = {name: prop.default for name, prop in kind.properties.items()} | given
    return [problem for rule in kind.rules for problem in rule.problems(values)]


def refusals(kind: type[ResourceType], **given: Any) -> list[str]:
    return [problem.kind for problem in problems(kind, **given)]


def server(**given: Any) -> list[str]:
    return refusals(Server, flavor="small", **given)


def disks(*disks: Any, **given: Any) -> list[str]:
    return server(block_device_mapping_v2=list(disks), **given)


def networks(*networks: Any, **given: Any) -> list[str]:
    return server(image="debian", networks=list(networks), **given)


@pytest.mark.parametrize("image", ["debian", "", ATTRIBUTE, REFERENCE, Secret("debian")])
def test_server_from_an_image(image: Any) -> None:
    assert server(image=image) == []


def test_server_needs_something_to_start_from() -> None:
    assert server() == [FAILED]


@pytest.mark.parametrize("source", ["volume_id", "snapshot_id", "image"])
@pytest.mark.parametrize("boot_index", [None, 0, ATTRIBUTE])
def test_server_from_a_disk(source: str, boot_index: Any) -> None:
    assert disks({source: REFERENCE, "boot_index": boot_index}) == []


@pytest.mark.parametrize(
    "disk", [{"volume_id": REFERENCE, "boot_index": 1}, {"swap_size": 512}, {"ephemeral_size": 1}]
)
def test_server_does_not_start_from_just_any_disk(disk: dict[str, Any]) -> None:
    assert disks(disk) == [FAILED]


def test_server_may_start_from_disks_not_known_yet() -> None:
    assert server(block_device_mapping_v2=ATTRIBUTE) == []
    assert server(block_device_mapping=ATTRIBUTE) == []
    assert disks(ATTRIBUTE) == []
    assert server(block_device_mapping=[{"device_name": ATTRIBUTE, "volume_id": "v"}]) == []


def test_server_starts_from_one_disk() -> None:
    assert disks({"volume_id": "a"}, {"volume_id": "b"}) == [FAILED]
    assert disks({"volume_id": "a"}, {"volume_id": "b", "boot_index": 1}) == []
    assert disks({"volume_id": "a"}, {"volume_id": "b", "boot_index": ATTRIBUTE}) == []


def test_server_starts_from_image_or_disk() -> None:
    assert disks({"volume_id": "a"}, image="debian") == [FAILED]
    assert disks({"volume_id": "a", "boot_index": -1}, {"swap_size": 512}, image="debian") == []


def test_disk_has_a_source() -> None:
    (problem,) = problems(Server, image="debian", block_device_mapping_v2=[{"boot_index": 1}])

    assert problem.kind == FAILED
    assert problem.path == ("block_device_mapping_v2", 0)


def test_disk_has_one_source() -> None:
    assert disks({"volume_id": "", "swap_size": 1, "boot_index": 1}, image="debian") == [CONFLICT]
    assert disks({"snapshot_id": ATTRIBUTE, "ephemeral_format": "ext4"}) == [CONFLICT]


def test_local_disk_may_have_size_and_format() -> None:
    assert disks({"ephemeral_size": 1, "ephemeral_format": "ext4"}, image="debian") == []


def test_unknown_size_may_be_none() -> None:
    assert disks({"volume_id": "a", "ephemeral_size": ATTRIBUTE}) == []


def test_old_list_of_disks_needs_vda_or_image() -> None:
    assert server(block_device_mapping=[{"device_name": "vdb", "volume_id": REFERENCE}]) == [FAILED]
    assert server(block_device_mapping=[{"device_name": "vda", "volume_id": REFERENCE}]) == []


@pytest.mark.parametrize(
    ("disk", "expected"),
    [
        ({"volume_id": "v"}, []),
        ({"volume_id": "v", "snapshot_id": "s"}, [CONFLICT]),
        ({"volume_id": ATTRIBUTE, "snapshot_id": ""}, [CONFLICT]),
        ({}, [FAILED]),
    ],
)
def test_old_disk_is_a_volume_or_from_a_snapshot(disk: dict[str, Any], expected: list[str]) -> None:
    assert server(image="debian", block_device_mapping=[{"device_name": "vdb", **disk}]) == expected


def test_lists_of_disks_exclude_each_other() -> None:
    old = [{"device_name": "vda", "volume_id": "v"}]

    assert CONFLICT in disks({"swap_size": 1}, block_device_mapping=old)
    assert disks(block_device_mapping=old) == []


@pytest.mark.parametrize("name", ["network", "port", "subnet"])
@pytest.mark.parametrize("value", ["n", "", ATTRIBUTE, REFERENCE])
def test_network_comes_from_somewhere(name: str, value: Any) -> None:
    assert networks({name: value}) == []


@pytest.mark.parametrize("network", [{}, {"tag": "t"}, {"allocate_network": ""}])
def test_network_from_nowhere(network: dict[str, Any]) -> None:
    assert networks(network) == [FAILED]


def test_networks_not_known_yet() -> None:
    assert server(image="debian", networks=ATTRIBUTE, security_groups=["web"]) == []
    assert networks(ATTRIBUTE, security_groups=["web"]) == []


def test_allocated_network_stands_alone() -> None:
    assert networks({"allocate_network": "auto"}) == []
    assert networks({"allocate_network": "none", "tag": "t"}) == [FAILED]
    assert networks({"allocate_network": "auto"}, {"network": "n"}) == [FAILED]
    assert networks({"allocate_network": ATTRIBUTE, "network": "n"}, {"network": "n"}) == []


def test_port_has_its_address() -> None:
    assert networks({"port": REFERENCE, "fixed_ip": "10.0.0.5"}) == [CONFLICT]
    assert networks({"port": REFERENCE, "fixed_ip": ATTRIBUTE}) == []
    assert networks({"network": "n", "fixed_ip": "10.0.0.5"}) == []


def test_floating_address_needs_a_port_of_the_stack() -> None:
    assert networks({"network": "n", "floating_ip": REFERENCE}) == [FAILED]


@pytest.mark.parametrize(
    "port",
    [{"subnet": "s"}, {"port": "p"}, {"port_extra_properties": {}}, {"port_extra_properties": ATTRIBUTE}],
)
def test_floating_address(port: dict[str, Any]) -> None:
    assert networks({"network": "n", "floating_ip": REFERENCE, **port}) == []


def test_port_has_its_security_groups() -> None:
    assert networks({"network": "n"}, {"port": REFERENCE}, security_groups=["web"]) == [CONFLICT]
    assert networks({"port": REFERENCE}, security_groups=[ATTRIBUTE]) == [CONFLICT]


@pytest.mark.parametrize("groups", [[], ATTRIBUTE])
def test_port_beside_no_security_groups(groups: Any) -> None:
    assert networks({"port": REFERENCE}, security_groups=groups) == []


def test_quota_limits_something() -> None:
    assert refusals(Quota, project="p") == [UNSPECIFIED]
    assert refusals(Quota, project="p", cores=0) == []
    assert refusals(Quota, project="p", ram=ATTRIBUTE) == []
