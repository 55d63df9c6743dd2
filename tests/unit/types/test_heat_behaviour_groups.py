"""What groups make of their members, and how their members are read."""

from __future__ import annotations

from typing import Any

import pytest

from calor.language.values import Secret
from calor.resources.outcomes import ResourceFailed
from calor.testing import FakeContext, FakeMember, FakeNestedStack, properties_of, run
from calor.types.aws.autoscaling.auto_scaling_group import AutoScalingGroup as AwsGroup
from calor.types.aws.autoscaling.instance_group_base import duration
from calor.types.aws.autoscaling.launch_configuration import LaunchConfiguration
from calor.types.aws.cloudformation.stack import Stack
from calor.types.heat.groups.auto_scaling_group import AutoScalingGroup
from calor.types.heat.groups.instance_group import InstanceGroup
from calor.types.heat.groups.resource_chain import ResourceChain
from calor.types.heat.groups.resource_group import ResourceGroup
from calor.types.heat.software.software_deployment_group import SoftwareDeploymentGroup
from calor.types.heat.software.structured_deployment_group import StructuredDeploymentGroup

PROBE = "OS::Heat::TestResource"


def resources(template: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = template["resources"]
    return found


def below(*ids: str, **attributes: list[Any]) -> FakeNestedStack:
    """Members 0, 1, … with ids, and their values of attributes."""
    return FakeNestedStack(
        *(
            FakeMember(
                str(index),
                physical_id=id,
                attributes={name: values[index] for name, values in attributes.items()},
            )
            for index, id in enumerate(ids)
        )
    )


class TestResourceGroup:
    def definition(self, **properties: Any) -> dict[str, Any]:
        return {"type": PROBE, **({"properties": properties} if properties else {})}

    def stages(self, context: FakeContext | None = None, **given: Any) -> list[dict[str, Any]]:
        # Groups get secrets as such, for their members.
        values = {**properties_of(ResourceGroup, **{"resource_def": self.definition(), **given}), **given}
        context = context or FakeContext(ResourceGroup)
        return [resources(stage.template) for stage in ResourceGroup.stages(context, values)]

    def existing(self, *names: str, **given: Any) -> FakeContext:
        members = [FakeMember(name, physical_id=f"id-{name}") for name in names]
        definitions = {name: {"type": "old"} for name in names}
        return FakeContext(
            ResourceGroup, action="UPDATE", members=members, nested_definitions=definitions, **given
        )

    def test_members_are_numbered(self) -> None:
        (members,) = self.stages(count=3, resource_def=self.definition(value="no-%index%"))

        assert {name: member["properties"]["value"] for name, member in members.items()} == {
            "0": "no-0",
            "1": "no-1",
            "2": "no-2",
        }

    def test_the_number_gets_into_secrets(self) -> None:
        (members,) = self.stages(resource_def=self.definition(value=Secret("pw-%index%")))

        assert members["0"]["properties"]["value"] == Secret("pw-0")

    def test_null_properties_are_left_out(self) -> None:
        (members,) = self.stages(resource_def=self.definition(value=None, fail=False))

        assert members["0"] == {"type": PROBE, "properties": {"fail": False}}

    def test_empty(self) -> None:
        assert self.stages(count=0) == [{}]

    def test_names_given_up_are_never_used_again(self) -> None:
        context = self.existing("0", "1", "2")
        (members,) = self.stages(context, count=3, removal_policies=[{"resource_list": [1, "7"]}])
        assert list(members) == ["0", "2", "3"]

        (members,) = self.stages(context, count=3)
        assert list(members) == ["0", "2", "3"]
        assert ResourceGroup.member_attribute(context, "removed_rsrc_list", []) == ["1"]

    def test_members_are_given_up_by_id(self) -> None:
        (members,) = self.stages(
            self.existing("0", "1"), count=2, removal_policies=[{"resource_list": ["id-0"]}]
        )

        assert list(members) == ["1", "2"]

    def test_the_list_can_be_replaced(self) -> None:
        context = self.existing("1", "2", data={"removed": ["0"]})

        (members,) = self.stages(
            context, count=2, removal_policies=[{"resource_list": ["1"]}], removal_policies_mode="update"
        )

        assert list(members) == ["0", "2"]
        assert context.data["removed"] == ["1"]

    def test_at_creation_any_name_can_be_left_out(self) -> None:
        (members,) = self.stages(count=2, removal_policies=[{"resource_list": ["0", "5"]}])

        assert list(members) == ["1", "2"]

    def test_all_change_at_once_without_a_policy(self) -> None:
        (members,) = self.stages(self.existing("0", "1"), count=2)

        assert [member["type"] for member in members.values()] == [PROBE, PROBE]

    def test_changes_roll(self) -> None:
        policy = {"rolling_update": {"min_in_service": 0, "max_batch_size": 1, "pause_time": 0}}
        stages = self.stages(self.existing("0", "1", update_policy=policy), count=2)

        assert [[member["type"] for member in members.values()] for members in stages] == [
            ["old", PROBE],
            [PROBE, PROBE],
        ]

    def test_growth_does_not_roll(self) -> None:
        policy = {"rolling_update": {"min_in_service": 0, "max_batch_size": 1, "pause_time": 0}}
        context = self.existing("0", update_policy=policy)
        context.nested_definitions = {"0": {"type": PROBE}}

        assert [list(members) for members in self.stages(context, count=4)] == [["0", "1", "2", "3"]]

    def test_creation_in_batches(self) -> None:
        context = FakeContext(update_policy={"batch_create": {"max_batch_size": 2, "pause_time": 0}})

        assert [len(members) for members in self.stages(context, count=3)] == [2, 3]

    def test_pauses_must_fit_into_the_timeout(self) -> None:
        policy = {"batch_create": {"max_batch_size": 1, "pause_time": 60}}

        with pytest.raises(ResourceFailed):
            self.stages(FakeContext(update_policy=policy, timeout=60), count=3)

    def test_template_is_the_last_stage(self) -> None:
        values = properties_of(ResourceGroup, resource_def=self.definition(), count=2)

        assert list(resources(ResourceGroup.stack_template(FakeContext(), values))) == ["0", "1"]

    @pytest.mark.parametrize(
        ("name", "path", "value"),
        [
            ("refs", [], ["x", "y"]),
            ("refs", [1], "y"),
            ("refs", [2], None),
            ("refs_map", [], {"0": "x", "1": "y"}),
            ("refs_map", ["1"], "y"),
            ("resource.0", [], "x"),
            ("resource.1", ["output"], {"a": 2}),
            ("resource.1.output", ["a"], 2),
            ("resource.5", [], None),
            ("attributes", ["output"], {"0": {"a": 1}, "1": {"a": 2}}),
            ("attributes", [], None),
            ("output", [], [{"a": 1}, {"a": 2}]),
            ("output", ["a"], [1, 2]),
            ("removed_rsrc_list", [], []),
        ],
    )
    def test_attributes(self, name: str, path: list[Any], value: Any) -> None:
        context = FakeContext(nested=below("x", "y", output=[{"a": 1}, {"a": 2}]))

        assert ResourceGroup.member_attribute(context, name, path) == value

    def test_members_are_in_the_order_of_their_numbers(self) -> None:
        context = FakeContext(
            nested=FakeNestedStack(*(FakeMember(n, physical_id=n) for n in ("10", "9", "0")))
        )

        assert ResourceGroup.member_attribute(context, "refs", []) == ["0", "9", "10"]


class TestResourceChain:
    def members(self, **given: Any) -> dict[str, Any]:
        values = properties_of(ResourceChain, **given)
        return resources(ResourceChain.stack_template(FakeContext(), values))

    def test_one_after_the_other(self) -> None:
        members = self.members(resources=["A", "B"], resource_properties={"p": 1})

        assert members == {
            "0": {"type": "A", "properties": {"p": 1}},
            "1": {"type": "B", "properties": {"p": 1}, "depends_on": ["0"]},
        }

    def test_concurrent(self) -> None:
        assert "depends_on" not in self.members(resources=Secret(["A", "B"]), concurrent=True)["1"]

    def test_attributes(self) -> None:
        context = FakeContext(nested=below("x", "y"))

        assert ResourceChain.member_attribute(context, "refs", []) == ["x", "y"]


def definitions(names: str, kind: str) -> dict[str, Any]:
    return {name: {"type": kind, "properties": {}} for name in names}


class TestAutoScalingGroup:
    def values(self, **given: Any) -> dict[str, Any]:
        defaults = {"resource": {"type": PROBE, "properties": {}}, "min_size": 1, "max_size": 5}
        return properties_of(AutoScalingGroup, **{**defaults, **given})

    def existing(self, *members: FakeMember, kind: str = PROBE) -> FakeContext:
        names = "".join(member.name for member in members)
        return FakeContext(
            AutoScalingGroup, action="UPDATE", members=members, nested_definitions=definitions(names, kind)
        )

    def last(self, context: FakeContext, **given: Any) -> dict[str, Any]:
        return resources(AutoScalingGroup.stack_template(context, self.values(**given)))

    def test_begins_with_what_is_desired(self) -> None:
        assert len(self.last(FakeContext(), desired_capacity=3)) == 3
        assert len(self.last(FakeContext())) == 1

    def test_names_are_random(self) -> None:
        (name,) = self.last(FakeContext())

        assert len(name) == 12
        assert name not in self.last(FakeContext())

    def test_members_stay(self) -> None:
        context = self.existing(FakeMember("a"), FakeMember("b"))

        assert set(self.last(context)) == {"a", "b"}

    def test_an_update_resets_the_size(self) -> None:
        context = self.existing(*(FakeMember(name, created_at=index) for index, name in enumerate("cab")))

        assert set(self.last(context, desired_capacity=2)) == {"a", "b"}

    def test_size_stays_within_its_bounds(self) -> None:
        context = self.existing(FakeMember("a"), FakeMember("b"), FakeMember("c"))

        assert len(self.last(context, max_size=2)) == 2
        assert len(self.last(context, min_size=4)) == 4

    def test_failed_members_go_first(self) -> None:
        context = self.existing(
            FakeMember("a", created_at=1),
            FakeMember("b", created_at=2, status="FAILED"),
            FakeMember("c", created_at=3),
        )

        assert set(self.last(context)) == {"a", "c"}
        assert set(self.last(context, desired_capacity=1)) == {"c"}

    def test_what_is_left_of_replaced_members_does_not_count(self) -> None:
        context = self.existing(FakeMember("a"), FakeMember("b"))
        context.members = [*context.members, FakeMember("a", replaced_by="x"), FakeMember("z")]

        assert set(self.last(context)) == {"a", "b"}

    def test_changes_roll(self) -> None:
        context = self.existing(FakeMember("a", created_at=1), FakeMember("b", created_at=2), kind="old")

        stages = [resources(stage.template) for stage in AutoScalingGroup.stages(context, self.values())]

        assert [{name: member["type"] for name, member in members.items()} for members in stages] == [
            {"a": PROBE, "b": "old"},
            {"a": PROBE, "b": PROBE},
        ]

    def test_cooldown_begins_when_the_group_is_ready(self) -> None:
        context = FakeContext(nested=below("x", "y"), metadata={"mine": 1})
        run(AutoScalingGroup.after_nested_stack(context, self.values(cooldown=60)))

        assert list(context.metadata["cooldown_end"].values()) == ["ExactCapacity : 2"]
        assert context.metadata["mine"] == 1

    @pytest.mark.parametrize(
        ("name", "path", "value"),
        [
            ("current_size", [], 2),
            ("refs", [], ["id-b", "id-a"]),
            ("refs_map", [], {"b": "id-b", "a": "id-a"}),
            ("outputs", ["output"], {"b": {"k": 2}, "a": {"k": 1}}),
            ("outputs", ["output", "k"], {"b": 2, "a": 1}),
            ("outputs", [], None),
            ("outputs_list", ["output", "k"], [2, 1]),
            ("resource.0", [], "id-b"),
            ("resource.1.output", ["k"], 1),
            ("resource.2", [], None),
            ("resource.x", [], None),
        ],
    )
    def test_attributes(self, name: str, path: list[Any], value: Any) -> None:
        members = [
            FakeMember("a", created_at=2, physical_id="id-a", attributes={"output": {"k": 1}}),
            FakeMember("b", created_at=1, physical_id="id-b", attributes={"output": {"k": 2}}),
            FakeMember("c", created_at=0, physical_id="id-c", status="FAILED"),
        ]

        assert (
            AutoScalingGroup.member_attribute(FakeContext(nested=FakeNestedStack(*members)), name, path)
            == value
        )


class TestInstances:
    def launch(self, **given: Any) -> FakeContext:
        props = properties_of(LaunchConfiguration, **(given or {"ImageId": "image", "InstanceType": "small"}))
        return FakeContext(LaunchConfiguration, props, name="launch")

    def group(self, launch: FakeContext, **given: Any) -> FakeContext:
        return FakeContext(AwsGroup, peers={"launch": launch}, **given)

    def values(self, **given: Any) -> dict[str, Any]:
        defaults = {"AvailabilityZones": [], "LaunchConfigurationName": "launch", "MinSize": 1, "MaxSize": 3}
        return properties_of(AwsGroup, **{**defaults, **given})

    def test_follow_the_launch_configuration(self) -> None:
        launch = self.launch(
            ImageId="image",
            InstanceType="small",
            BlockDeviceMappings=[{"DeviceName": "vda", "Ebs": {"SnapshotId": "s"}}],
        )
        context = self.group(launch)

        run(AwsGroup.before_nested_stack(context, self.values()))
        (member,) = resources(
            AwsGroup.stack_template(context, self.values(Tags=[{"Key": "k", "Value": "v"}]))
        ).values()

        assert member["type"] == "OS::Heat::ScaledResource"
        assert member["properties"] == {
            "ImageId": "image",
            "InstanceType": "small",
            "BlockDeviceMappings": [
                {"DeviceName": "vda", "Ebs": {"DeleteOnTermination": True, "SnapshotId": "s"}}
            ],
            "Tags": [
                {"Key": "k", "Value": "v"},
                {"Key": "metering.groupname", "Value": context.reference},
                {"Key": "metering.AutoScalingGroupName", "Value": context.reference},
            ],
        }

    def test_own_metering_tags_suffice(self) -> None:
        tags = [{"Key": "metering.mine", "Value": "v"}]
        values = {"AvailabilityZones": [], "LaunchConfigurationName": "launch", "Size": 1, "Tags": tags}
        context = self.group(self.launch())

        (member,) = resources(
            InstanceGroup.stack_template(context, properties_of(InstanceGroup, **values))
        ).values()

        assert member["properties"]["Tags"] == tags

    def test_subnet(self) -> None:
        template = AwsGroup.stack_template(self.group(self.launch()), self.values(VPCZoneIdentifier=["s"]))

        (member,) = resources(template).values()
        assert member["properties"]["SubnetId"] == "s"

    def test_metadata_of_the_launch_configuration(self) -> None:
        launch = self.launch()
        launch.metadata = {"m": 1}

        (member,) = resources(AwsGroup.stack_template(self.group(launch), self.values())).values()
        assert member["metadata"] == {"m": 1}

    SERVER = {
        "image": {"id": "i"},
        "flavor": {"id": "f"},
        "key_name": None,
        "security_groups": [{"name": "default"}],
    }

    def test_like_an_existing_server(self) -> None:
        context = FakeContext(AwsGroup, servers={"s": self.SERVER})
        values = self.values(LaunchConfigurationName=None, InstanceId="s")

        run(AwsGroup.before_nested_stack(context, values))

        (member,) = resources(AwsGroup.stack_template(context, values)).values()
        del member["properties"]["Tags"]
        assert member["properties"] == {"ImageId": "i", "InstanceType": "f", "SecurityGroups": ["default"]}

    def test_launch_configuration_like_an_existing_server(self) -> None:
        launch = self.launch(InstanceId="s", InstanceType="large")
        launch.servers = {"s": self.SERVER}
        run(LaunchConfiguration.create(launch, launch.properties))

        (member,) = resources(AwsGroup.stack_template(self.group(launch), self.values())).values()

        assert launch.reference == "web-launch-000000000000"
        assert member["properties"]["ImageId"] == "i"
        assert member["properties"]["InstanceType"] == "large"
        assert "InstanceId" not in member["properties"]

    def test_missing_server(self) -> None:
        launch = self.launch(InstanceId="s")

        with pytest.raises(ResourceFailed):
            run(LaunchConfiguration.create(launch, launch.properties))

    def test_missing_launch_configuration(self) -> None:
        with pytest.raises(ResourceFailed):
            AwsGroup.stack_template(FakeContext(AwsGroup), self.values())

    def existing(self, **given: Any) -> FakeContext:
        members = [FakeMember("a", created_at=1), FakeMember("b", created_at=2)]
        return self.group(
            self.launch(),
            action="UPDATE",
            members=members,
            nested_definitions=definitions("ab", "old"),
            **given,
        )

    def test_stay_as_they_are_without_an_update_policy(self) -> None:
        (stage,) = AwsGroup.stages(self.existing(), self.values())

        assert {member["type"] for member in resources(stage.template).values()} == {"old"}

    def test_roll_with_an_update_policy(self) -> None:
        policy = {"MinInstancesInService": 0, "MaxBatchSize": 1, "PauseTime": "PT1M"}
        context = self.existing(update_policy={"AutoScalingRollingUpdate": policy})

        stages = list(AwsGroup.stages(context, self.values()))

        assert [stage.pause for stage in stages] == [60, 0]
        assert {member["type"] for member in resources(stages[-1].template).values()} == {
            "OS::Heat::ScaledResource"
        }

    def test_load_balancers_are_notified(self) -> None:
        context = FakeContext(nested=below("x", "y"))
        run(AwsGroup.after_nested_stack(context, self.values(LoadBalancerNames=["lb"])))

        assert context.calls == [("update_peer", "lb", {"Instances": ["x", "y"]})]
        assert "cooldown_end" in context.metadata

    def test_addresses(self) -> None:
        context = FakeContext(nested=below("x", "y", PublicIp=["1.2.3.4", None]))

        assert AwsGroup.member_attribute(context, "InstanceList", []) == "1.2.3.4,0.0.0.0"
        assert AwsGroup.member_attribute(FakeContext(nested=below()), "InstanceList", []) is None

    def test_fixed_size(self) -> None:
        values = properties_of(InstanceGroup, AvailabilityZones=[], LaunchConfigurationName="launch", Size=2)

        assert len(resources(InstanceGroup.stack_template(self.group(self.launch()), values))) == 2

    @pytest.mark.parametrize(
        ("text", "seconds"), [("PT0S", 0), ("PT5M", 300), ("PT1H2M3S", 3723), ("P1D", 86400)]
    )
    def test_pause_time(self, text: str, seconds: float) -> None:
        assert duration(text) == seconds

    @pytest.mark.parametrize("text", ["", "P", "PT", "5", "PT-1S", "PT5X"])
    def test_wrong_pause_time(self, text: str) -> None:
        with pytest.raises(ResourceFailed):
            duration(text)


class TestDeploymentGroups:
    def test_one_deployment_for_each_server(self) -> None:
        values = properties_of(SoftwareDeploymentGroup, servers={"a": "s1", "b": "s2"}, config="c")

        members = resources(SoftwareDeploymentGroup.stack_template(FakeContext(), values))

        assert list(members) == ["a", "b"]
        assert members["b"]["type"] == "OS::Heat::SoftwareDeployment"
        assert members["b"]["properties"] == {
            "server": "s2",
            "config": "c",
            "actions": ["CREATE", "UPDATE"],
            "signal_transport": "CFN_SIGNAL",
        }

    def test_structured(self) -> None:
        servers = {"a": "s1"}
        values = {**properties_of(StructuredDeploymentGroup, servers=servers), "servers": Secret(servers)}

        (member,) = resources(StructuredDeploymentGroup.stack_template(FakeContext(), values)).values()

        assert member["type"] == "OS::Heat::StructuredDeployment"
        assert member["properties"]["server"] == Secret("s1")

    def test_batches(self) -> None:
        context = FakeContext(update_policy={"batch_create": {"max_batch_size": 1, "pause_time": 3}})
        values = properties_of(SoftwareDeploymentGroup, servers={"a": "s1", "b": "s2"})

        stages = list(SoftwareDeploymentGroup.stages(context, values))

        assert [list(resources(stage.template)) for stage in stages] == [["a"], ["a", "b"]]
        assert [stage.pause for stage in stages] == [3, 0]

    def test_attributes_are_maps_by_the_names_of_the_servers(self) -> None:
        context = FakeContext(nested=below("x", "y", deploy_stdout=["one", "two"], out=[1, 2]))

        assert SoftwareDeploymentGroup.member_attribute(context, "deploy_stdouts", []) == {
            "0": "one",
            "1": "two",
        }
        assert SoftwareDeploymentGroup.member_attribute(context, "out", ["1"]) == 2


class TestStackByAddress:
    def test_outputs(self) -> None:
        context = FakeContext(nested=FakeNestedStack(outputs={"address": {"value": {"v4": "1.2.3.4"}}}))

        assert Stack.member_attribute(context, "Outputs.address", ["v4"]) == "1.2.3.4"
        assert Stack.member_attribute(context, "Outputs.missing", []) is None
        assert Stack.member_attribute(context, "address", []) is None
