"""What resources of smaller services refuse before anything is created."""

from typing import Any

import pytest

from calor.language.schema import Problem
from calor.language.values import Secret as Hidden
from calor.language.values import Unknown
from calor.resources.contract import ResourceType
from calor.types.barbican.generic_container import GenericContainer
from calor.types.barbican.order import Order
from calor.types.barbican.secret import Secret
from calor.types.cinder.quota import Quota
from calor.types.cinder.volume.volume import Volume
from calor.types.cinder.volume_type import VolumeType
from calor.types.designate.zone import Zone
from calor.types.glance.web_image import WebImage
from calor.types.keystone.group import Group
from calor.types.keystone.group_role_assignment import GroupRoleAssignment
from calor.types.keystone.user import User
from calor.types.keystone.user_role_assignment import UserRoleAssignment
from calor.types.magnum.bay_model import BayModel
from calor.types.magnum.cluster_template import ClusterTemplate
from calor.types.manila.share_network import ShareNetwork
from calor.types.mistral.cron_trigger import CronTrigger
from calor.types.mistral.workflow import Workflow
from calor.types.trove.cluster import Cluster
from calor.types.trove.instance import Instance
from calor.types.zaqar.subscription import Subscription
from calor.types.zun.container import Container

ATTRIBUTE = Unknown()
REFERENCE = Unknown("some_resource")

FAILED = "StackValidationFailed"
CONFLICT = "ResourcePropertyConflict"
UNSPECIFIED = "PropertyUnspecifiedError"
DEPENDENCY = "ResourcePropertyDependency"
VALUE_DEPENDENCY = "ResourcePropertyValueDependency"

Given = dict[str, Any]


def problems(kind: type[ResourceType], **given: Any) -> list[Problem]:
    values = {name: prop.default for name, prop in kind.properties.items()} | given
    return [problem for rule in kind.rules for problem in rule.problems(values)]


def refusals(kind: type[ResourceType], **given: Any) -> list[str]:
    return [problem.kind for problem in problems(kind, **given)]


class TestVolume:
    @pytest.mark.parametrize(
        "given",
        [
            {"size": 1},
            {"size": 1, "image": "debian"},
            {"size": 1, "snapshot_id": "s", "source_volid": ""},
            {"snapshot_id": "s"},
            {"source_volid": ATTRIBUTE},
            {"snapshot_id": REFERENCE, "image": ATTRIBUTE},
        ],
    )
    def test_size_or_source(self, given: Given) -> None:
        assert refusals(Volume, **given) == []

    @pytest.mark.parametrize("given", [{}, {"image": "debian"}, {"snapshot_id": ""}])
    def test_size_is_missing(self, given: Given) -> None:
        assert refusals(Volume, **given) == [FAILED]

    @pytest.mark.parametrize("size", [None, 1])
    def test_several_sources(self, size: int | None) -> None:
        assert refusals(Volume, size=size, snapshot_id="s", source_volid=REFERENCE) == [FAILED]

    def test_sources_that_may_turn_out_empty(self) -> None:
        assert refusals(Volume, size=1, snapshot_id="s", source_volid=ATTRIBUTE) == []

    def test_size_not_known_yet(self) -> None:
        assert refusals(Volume, size=ATTRIBUTE, snapshot_id="s", image="i") == []

    @pytest.mark.parametrize("backup", ["b", ATTRIBUTE])
    def test_backup_goes_before_all(self, backup: Any) -> None:
        assert refusals(Volume, backup_id=backup, snapshot_id="s", image="i") == []


def test_public_volume_type_is_not_for_projects() -> None:
    assert refusals(VolumeType, name="t", projects=["p"]) == [FAILED]
    assert refusals(VolumeType, name="t", projects=["p"], is_public=False) == []
    assert refusals(VolumeType, name="t", projects=["p"], is_public=ATTRIBUTE) == []
    assert refusals(VolumeType, name="t") == []


def test_volume_quota_limits_something() -> None:
    assert refusals(Quota, project="p") == [UNSPECIFIED]
    assert refusals(Quota, project="p", volumes=0) == []


@pytest.mark.parametrize(
    ("container", "disk", "expected"),
    [
        ("ami", "ami", []),
        ("ami", "raw", [FAILED]),
        ("bare", "ami", []),
        ("ami", ATTRIBUTE, []),
        (ATTRIBUTE, "ami", []),
    ],
)
def test_formats_of_an_image(container: Any, disk: Any, expected: list[str]) -> None:
    assert refusals(WebImage, container_format=container, disk_format=disk) == expected


def test_members_need_a_shared_image() -> None:
    assert refusals(WebImage, members=["p"]) == [VALUE_DEPENDENCY]
    assert refusals(WebImage, members=["p"], visibility="shared") == []
    assert refusals(WebImage, members=["p"], visibility=ATTRIBUTE) == []
    assert refusals(WebImage, members=[]) == []


@pytest.mark.parametrize("kind", [User, Group, UserRoleAssignment, GroupRoleAssignment])
class TestRoles:
    def test_in_a_project_or_a_domain(self, kind: type[ResourceType]) -> None:
        roles = [{"role": "r", "project": ATTRIBUTE}, {"role": "r", "domain": REFERENCE}]

        assert refusals(kind, roles=roles) == []

    def test_in_both(self, kind: type[ResourceType]) -> None:
        (problem,) = problems(kind, roles=[{"role": "r", "project": "p", "domain": "d"}])

        assert problem.kind == CONFLICT
        assert problem.path == ("roles", 0)

    def test_nowhere(self, kind: type[ResourceType]) -> None:
        assert refusals(kind, roles=[{"role": "r"}]) == [FAILED]

    @pytest.mark.parametrize(
        "roles", [None, [], ATTRIBUTE, [ATTRIBUTE], Hidden([{"role": "r", "project": "p"}])]
    )
    def test_none_or_unseen(self, kind: type[ResourceType], roles: Any) -> None:
        assert refusals(kind, roles=roles) == []


class TestSecret:
    def test_without_content(self) -> None:
        assert refusals(Secret) == []

    def test_text(self) -> None:
        assert refusals(Secret, payload="p", payload_content_type="text/plain") == []

    @pytest.mark.parametrize("payload", ["YQ==", Hidden("YQ=="), ATTRIBUTE])
    def test_bytes(self, payload: Any) -> None:
        assert (
            refusals(
                Secret,
                payload=payload,
                payload_content_type="application/octet-stream",
                payload_content_encoding="base64",
            )
            == []
        )

    @pytest.mark.parametrize("payload", ["YQ=", "é", Hidden("YQ=")])
    def test_bytes_that_are_not_base64(self, payload: Any) -> None:
        (problem,) = problems(
            Secret,
            payload=payload,
            payload_content_type="application/octet-stream",
            payload_content_encoding="base64",
        )

        assert problem.kind == FAILED
        assert problem.path == ("payload",)

    @pytest.mark.parametrize("payload", [None, ""])
    def test_type_of_nothing(self, payload: str | None) -> None:
        assert refusals(Secret, payload=payload, payload_content_type="text/plain") == [DEPENDENCY]

    def test_bytes_without_encoding(self) -> None:
        assert refusals(Secret, payload="YQ==", payload_content_type="application/octet-stream") == [FAILED]

    @pytest.mark.parametrize("kind", [None, "text/plain"])
    def test_encoding_of_text(self, kind: str | None) -> None:
        given = {"payload": "p", "payload_content_type": kind, "payload_content_encoding": "base64"}

        assert refusals(Secret, **given) == [VALUE_DEPENDENCY]

    def test_type_not_known_yet(self) -> None:
        assert refusals(Secret, payload_content_type=ATTRIBUTE, payload_content_encoding="base64") == []


def test_container_holds_a_secret_once() -> None:
    def secrets(*references: Any) -> list[str]:
        return refusals(GenericContainer, secrets=[{"name": "n", "ref": ref} for ref in references])

    assert secrets("a", "b") == []
    assert secrets("a", "b", "a") == [FAILED]
    assert secrets(ATTRIBUTE, ATTRIBUTE) == []


class TestOrder:
    def test_key(self) -> None:
        assert refusals(Order, type="key", algorithm="aes", bit_length=ATTRIBUTE, mode="cbc") == []

    def test_pair_of_keys(self) -> None:
        assert refusals(Order, type="asymmetric", algorithm="rsa", bit_length=2048, pass_phrase="p") == []

    def test_key_without_length(self) -> None:
        assert refusals(Order, type="key", algorithm="aes") == [FAILED]

    def test_key_with_subject(self) -> None:
        (problem,) = problems(Order, type="key", algorithm="aes", bit_length=256, subject_dn="")

        assert problem.kind == FAILED
        assert "subject_dn" in problem.message

    def test_certificate(self) -> None:
        assert refusals(Order, type="certificate", ca_id="c", profile="p") == []

    def test_profile_of_no_authority(self) -> None:
        assert refusals(Order, type="certificate", profile="p") == [DEPENDENCY]
        assert refusals(Order, type="certificate", profile="p", ca_id=ATTRIBUTE) == []

    def test_type_not_known_yet(self) -> None:
        assert refusals(Order, type=ATTRIBUTE, subject_dn="s") == []


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"email": "a@b.c"}, []),
        ({"email": ATTRIBUTE}, []),
        ({}, [FAILED]),
        ({"email": ""}, [FAILED]),
        ({"type": "SECONDARY", "masters": ["m"]}, []),
        ({"type": "SECONDARY", "masters": []}, [FAILED]),
        ({"type": ATTRIBUTE}, []),
    ],
)
def test_zone_needs_what_its_type_needs(given: Given, expected: list[str]) -> None:
    assert refusals(Zone, name="z.", **given) == expected


def test_share_network() -> None:
    assert refusals(ShareNetwork) == []
    assert refusals(ShareNetwork, neutron_network="n", neutron_subnet=ATTRIBUTE) == []
    assert refusals(ShareNetwork, neutron_network="n") == [DEPENDENCY]
    assert refusals(ShareNetwork, neutron_network=ATTRIBUTE) == []
    assert refusals(ShareNetwork, nova_network="n") == [FAILED]


@pytest.mark.parametrize("kind", [ClusterTemplate, BayModel])
def test_volume_driver_of_a_cluster(kind: type[ResourceType]) -> None:
    assert refusals(kind, coe="kubernetes", volume_driver="cinder") == []
    assert refusals(kind, coe="kubernetes", volume_driver="rexray") == [FAILED]
    assert refusals(kind, coe="swarm", volume_driver="cinder") == [FAILED]
    assert refusals(kind, coe=ATTRIBUTE, volume_driver="cinder") == []
    assert refusals(kind, coe="swarm", volume_driver=ATTRIBUTE) == []


class TestWorkflow:
    def tasks(self, *tasks: Given, **given: Any) -> list[str]:
        return refusals(Workflow, **{"type": "direct", "tasks": list(tasks), **given})

    def test_task_does_one_thing(self) -> None:
        assert self.tasks({"action": "std.noop"}, {"workflow": ATTRIBUTE}) == []
        assert self.tasks({"action": "std.noop", "workflow": ATTRIBUTE}) == []

    @pytest.mark.parametrize("task", [{}, {"action": ""}])
    def test_task_does_nothing(self, task: Given) -> None:
        assert self.tasks(task) == [UNSPECIFIED]

    def test_task_does_two_things(self) -> None:
        assert self.tasks({"action": "std.noop", "workflow": REFERENCE}) == [CONFLICT]

    def test_concurrency_needs_items(self) -> None:
        assert self.tasks({"action": "std.noop", "concurrency": 2}) == [DEPENDENCY]
        assert self.tasks({"action": "std.noop", "concurrency": 2, "with_items": ""}) == []

    def test_requires_is_for_reverse_workflows(self) -> None:
        (problem,) = problems(Workflow, type="direct", tasks=[{"action": "std.noop", "requires": []}])

        assert problem.kind == FAILED
        assert problem.path == ("tasks", 0, "requires")

    def test_reverse_workflow(self) -> None:
        task = {"action": "std.noop", "requires": ["b"]}

        assert self.tasks(task, type="reverse", params={"task_name": ATTRIBUTE}) == []
        assert self.tasks(task, type="reverse", params=ATTRIBUTE) == []

    @pytest.mark.parametrize("params", [None, {}, {"task_name": ""}])
    def test_reverse_workflow_without_its_task(self, params: Any) -> None:
        assert self.tasks({"action": "std.noop"}, type="reverse", params=params) == [FAILED]


def test_trigger_has_a_time() -> None:
    assert refusals(CronTrigger, pattern="* * * * *") == []
    assert refusals(CronTrigger, first_time=ATTRIBUTE) == []
    assert refusals(CronTrigger, pattern="") == [UNSPECIFIED]


class TestDatabaseInstance:
    def user(self, *databases: Any) -> Given:
        return {"name": "u", "password": "p", "databases": list(databases)}

    def test_users_of_its_databases(self) -> None:
        assert refusals(Instance, databases=[{"name": "d"}], users=[self.user("d")]) == []

    def test_users_of_no_databases(self) -> None:
        assert refusals(Instance, users=[self.user("d")]) == [FAILED]

    def test_users_of_other_databases(self) -> None:
        (problem,) = problems(Instance, databases=[{"name": "d"}], users=[self.user("d", "e")])

        assert problem.kind == FAILED
        assert "e" in problem.message

    @pytest.mark.parametrize("databases", [ATTRIBUTE, [ATTRIBUTE], [{"name": ATTRIBUTE}]])
    def test_databases_not_known_yet(self, databases: Any) -> None:
        assert refusals(Instance, databases=databases, users=[self.user("d", ATTRIBUTE)]) == []

    def test_version_of_no_datastore(self) -> None:
        assert refusals(Instance, datastore_version="8") == [FAILED]
        assert refusals(Instance, datastore_version="8", datastore_type=ATTRIBUTE) == []

    @pytest.mark.parametrize("network", [{}, {"network": "n", "port": ATTRIBUTE}])
    def test_network_or_port(self, network: Given) -> None:
        assert refusals(Instance, networks=[network]) == [FAILED]
        assert refusals(Instance, networks=[{"port": REFERENCE}]) == []


def test_networks_of_a_database_cluster() -> None:
    def cluster(network: Given) -> list[Problem]:
        return problems(Cluster, datastore_type="t", instances=[{"networks": [network]}])

    assert cluster({"port": "p"}) == []
    assert [problem.kind for problem in cluster({"network": "n", "port": ""})] == [CONFLICT]
    (problem,) = cluster({})
    assert problem.kind == FAILED
    assert problem.path == ("instances", 0, "networks", 0)


@pytest.mark.parametrize("subscriber", ["https://x/", "mailto:a@b.c", "trust+http://x", ATTRIBUTE, REFERENCE])
def test_subscriber(subscriber: Any) -> None:
    assert refusals(Subscription, subscriber=subscriber) == []


@pytest.mark.parametrize("subscriber", ["ftp://x/", "", Hidden("//x")])
def test_subscriber_of_a_foreign_scheme(subscriber: Any) -> None:
    assert refusals(Subscription, subscriber=subscriber) == [FAILED]


class TestApplicationContainer:
    @pytest.mark.parametrize(
        "policy",
        ["", "no", "always", "unless-stopped", "on-failure", "on-failure:", "on-failure:3", ATTRIBUTE],
    )
    def test_restart_policy(self, policy: Any) -> None:
        assert refusals(Container, restart_policy=policy) == []

    @pytest.mark.parametrize("policy", ["never", "always:3", "on-failure:1:2", ":"])
    def test_unknown_restart_policy(self, policy: str) -> None:
        assert refusals(Container, restart_policy=policy) == [FAILED]

    def test_mount_of_a_volume(self) -> None:
        assert (
            refusals(Container, mounts=[{"volume_id": ATTRIBUTE, "volume_size": 1}, {"volume_size": 1}]) == []
        )
        assert refusals(Container, mounts=[{}]) == [FAILED]
        assert refusals(Container, mounts=[{"volume_id": "v", "volume_size": 1}]) == [CONFLICT]

    def test_network_or_port(self) -> None:
        assert refusals(Container, networks=[{"network": "n", "port": "p"}]) == []
        assert refusals(Container, networks=[{}]) == [UNSPECIFIED]
        assert refusals(Container, networks=[{"port": "p", "fixed_ip": "10.0.0.5"}]) == [CONFLICT]
