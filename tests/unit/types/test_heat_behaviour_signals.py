"""What signals do: policies scale groups, handles collect, conditions wait."""

from __future__ import annotations

import json
from typing import Any

import pytest

from calor.resources.outcomes import NothingToDo, ResourceFailed
from calor.testing import FakeContext, FakeMember, properties_of, run
from calor.types.aws.autoscaling.scaling_policy import ScalingPolicy as AwsPolicy
from calor.types.aws.cloudformation.wait_condition import WaitCondition as AwsCondition
from calor.types.aws.cloudformation.wait_condition_handle import WaitConditionHandle as AwsHandle
from calor.types.heat.groups.auto_scaling_group import AutoScalingGroup
from calor.types.heat.groups.scaling_policy import ScalingPolicy
from calor.types.heat.ha_restarter import HARestarter
from calor.types.heat.signals.update_wait_condition_handle import UpdateWaitConditionHandle
from calor.types.heat.signals.wait_condition import WaitCondition
from calor.types.heat.signals.wait_condition_handle import WaitConditionHandle
from calor.types.heat.test_resource import TestResource as Probe


def created(kind: Any, **given: Any) -> FakeContext:
    props = properties_of(kind, **given)
    context = FakeContext(kind, props)
    run(kind.create(context, props))
    return context


POLICY = {
    "auto_scaling_group_id": "group",
    "adjustment_type": "change_in_capacity",
    "scaling_adjustment": 1,
}
AWS_POLICY = {"AutoScalingGroupName": "group", "AdjustmentType": "ChangeInCapacity", "ScalingAdjustment": 1}


class TestUsers:
    @pytest.mark.parametrize(
        ("kind", "given"),
        [
            (ScalingPolicy, POLICY),
            (AwsPolicy, AWS_POLICY),
            (WaitConditionHandle, {}),
            (AwsHandle, {}),
            (HARestarter, {"InstanceId": "server"}),
        ],
    )
    def test_come_and_go_with_the_resource(self, kind: Any, given: dict[str, Any]) -> None:
        context = created(kind, **given)
        assert context.physical_id == "user-1"

        run(kind.suspend(context))
        run(kind.resume(context))
        run(kind.delete(context))

        assert context.calls == [
            "create_user",
            ("enable_user", False),
            ("enable_user", True),
            "remove_signalling",
        ]


class TestScalingPolicy:
    def group(self, size: int, **given: Any) -> FakeContext:
        names = "abcdefgh"[:size]
        definition = {"type": "OS::Heat::TestResource", "properties": {}}
        return FakeContext(
            AutoScalingGroup,
            properties_of(AutoScalingGroup, resource=definition, min_size=1, max_size=5, cooldown=60),
            status="COMPLETE",
            members=[FakeMember(name, created_at=index) for index, name in enumerate(names)],
            nested_definitions=dict.fromkeys(names, definition),
            **given,
        )

    def signal(self, group: FakeContext, **given: Any) -> None:
        props = properties_of(ScalingPolicy, **{**POLICY, **given})
        run(ScalingPolicy.signal(FakeContext(ScalingPolicy, props, peers={"group": group}), None))

    def test_grows_the_group(self) -> None:
        group = self.group(2)
        self.signal(group)

        assert group.nested_template is not None
        assert len(group.nested_template["resources"]) == 3
        assert {"a", "b"} < set(group.nested_template["resources"])

    def test_shrinks_the_group_from_its_oldest_member(self) -> None:
        group = self.group(3)
        self.signal(group, scaling_adjustment=-1)

        assert group.nested_template is not None
        assert list(group.nested_template["resources"]) == ["b", "c"]

    def test_starts_the_cooldown(self) -> None:
        group = self.group(2)
        self.signal(group)
        (end,) = group.metadata["cooldown_end"]
        assert group.metadata["cooldown_end"][end] == "change_in_capacity : 1"

        group.clock += 59
        with pytest.raises(NothingToDo):
            self.signal(group)

        group.clock += 1
        self.signal(group)

    def test_own_cooldown_goes_before_the_group_s(self) -> None:
        group = self.group(2)
        self.signal(group, cooldown=0)
        group.clock += 0.001
        self.signal(group, cooldown=0)

    def test_at_the_limit_nothing_happens(self) -> None:
        group = self.group(5)

        with pytest.raises(NothingToDo):
            self.signal(group)
        assert group.metadata == {}

    @pytest.mark.parametrize("state", [{"busy": True}, {"status": "IN_PROGRESS"}, {"status": "FAILED"}])
    def test_while_the_group_is_busy_nothing_happens(self, state: dict[str, Any]) -> None:
        group = self.group(2)
        for name, value in state.items():
            setattr(group, name, value)

        with pytest.raises(NothingToDo):
            self.signal(group)
        assert group.nested_template is None

    def test_failed_members_do_not_count_and_go_first(self) -> None:
        group = self.group(3)
        group.members[2].status = "FAILED"
        self.signal(group, adjustment_type="exact_capacity", scaling_adjustment=1)

        assert group.nested_template is not None
        assert list(group.nested_template["resources"]) == ["b"]

    def test_no_such_group(self) -> None:
        with pytest.raises(ResourceFailed) as raised:
            self.signal(FakeContext(Probe))
        assert raised.value.kind == "NotFound"

    def test_urls(self) -> None:
        context = created(ScalingPolicy, **POLICY)

        assert ScalingPolicy.attribute(context, "alarm_url") == "https://cfn/signal?Signature=s"
        assert ScalingPolicy.attribute(context, "signal_url") == "https://heat/p1/signal"

    def test_a_reference_to_the_aws_policy_is_its_url(self) -> None:
        context = created(AwsPolicy, **AWS_POLICY)

        assert (
            context.reference == AwsPolicy.attribute(context, "AlarmUrl") == "https://cfn/signal?Signature=s"
        )


class TestHandle:
    def received(self, *signals: Any) -> dict[str, Any]:
        context = created(WaitConditionHandle)
        for signal in signals:
            run(WaitConditionHandle.signal(context, signal))
        return context.metadata

    def test_everything_can_be_left_out(self) -> None:
        assert self.received(None, {}) == {
            "1": {"status": "SUCCESS", "reason": "Signal 1 received", "data": None},
            "2": {"status": "SUCCESS", "reason": "Signal 2 received", "data": None},
        }

    def test_the_same_id_counts_once(self) -> None:
        assert self.received({"id": 7, "data": "a"}, {"id": "7", "data": "b", "reason": "r"}) == {
            "7": {"status": "SUCCESS", "reason": "r", "data": "b"}
        }

    @pytest.mark.parametrize("signal", [{"more": 1}, {"status": "MAYBE"}, "text", ["list"]])
    def test_wrong_signals(self, signal: Any) -> None:
        with pytest.raises(ResourceFailed):
            self.received(signal)

    def test_shows_what_it_got(self) -> None:
        context = created(WaitConditionHandle)

        reported = run(WaitConditionHandle.signal(context, {"status": "FAILURE", "reason": "no disk"}))

        assert reported == "status:FAILURE reason:no disk"

    def test_token(self) -> None:
        context = created(WaitConditionHandle)

        assert WaitConditionHandle.attribute(context, "token") == "token-1"
        assert WaitConditionHandle.attribute(context, "endpoint") == "https://heat/users/signal"
        assert WaitConditionHandle.attribute(context, "signal") == "null"
        assert WaitConditionHandle.attribute(context, "curl_cli") == (
            "curl -i -X POST -H 'X-Auth-Token: token-1' -H 'Content-Type: application/json' "
            "-H 'Accept: application/json' https://heat/users/signal"
        )

    @pytest.mark.parametrize(
        ("transport", "keys"),
        [
            ("CFN_SIGNAL", {"alarm_url"}),
            ("TEMP_URL_SIGNAL", {"alarm_url"}),
            ("HEAT_SIGNAL", {"alarm_url", "auth_url", "password"}),
            ("ZAQAR_SIGNAL", {"queue_id", "auth_url", "password"}),
            ("NO_SIGNAL", set()),
        ],
    )
    def test_other_transports(self, transport: str, keys: set[str]) -> None:
        context = created(WaitConditionHandle, signal_transport=transport)

        assert keys <= set(json.loads(WaitConditionHandle.attribute(context, "signal") or ""))
        assert WaitConditionHandle.attribute(context, "token") is None
        assert WaitConditionHandle.attribute(context, "curl_cli") is None

    def test_a_reference_to_the_aws_handle_is_its_url(self) -> None:
        assert created(AwsHandle).reference == "https://cfn/waitcondition?Signature=s"

    def test_the_aws_handle_needs_all_parts(self) -> None:
        context = created(AwsHandle)
        whole = {"Status": "SUCCESS", "Reason": "r", "UniqueId": "1", "Data": "d"}
        run(AwsHandle.signal(context, whole))
        assert context.metadata == {"1": {"Status": "SUCCESS", "Reason": "r", "Data": "d"}}

        with pytest.raises(ResourceFailed):
            run(AwsHandle.signal(context, {"Status": "SUCCESS", "Reason": "r", "UniqueId": "1"}))

    def test_without_details_the_aws_handle_gets_no_signal(self) -> None:
        context = created(AwsHandle)

        assert run(AwsHandle.signal(context, None)) is None
        assert context.metadata == {}

    def test_one_handle_is_replaced_by_every_update(self) -> None:
        assert UpdateWaitConditionHandle.always_replaced


class TestCondition:
    def condition(self, handle: FakeContext, /, **given: Any) -> FakeContext:
        props = properties_of(WaitCondition, **{"handle": "h", "timeout": 300, **given})
        return FakeContext(WaitCondition, props, peers={"h": handle})

    def wait(self, condition: FakeContext) -> None:
        run(WaitCondition.create(condition, condition.properties))

    def test_waits_for_all_signals(self) -> None:
        handle = created(WaitConditionHandle)
        condition = self.condition(handle, count=2)
        condition.on_wait = lambda: WaitConditionHandle.signal(handle, {"data": len(condition.slept)})

        self.wait(condition)

        assert len(condition.slept) == 2
        assert json.loads(WaitCondition.attribute(condition, "data") or "") == {"1": 1, "2": 2}

    def test_signals_before_it_count(self) -> None:
        handle = created(WaitConditionHandle)
        run(WaitConditionHandle.signal(handle, None))
        condition = self.condition(handle)

        self.wait(condition)

        assert condition.slept == []

    def test_one_failure_fails_it(self) -> None:
        handle = created(WaitConditionHandle)
        for reason in ("bad", "worse"):
            run(WaitConditionHandle.signal(handle, {"status": "FAILURE", "reason": reason}))

        with pytest.raises(ResourceFailed) as raised:
            self.wait(self.condition(handle, count=9))

        assert (raised.value.kind, raised.value.message) == ("WaitConditionFailure", "bad;worse")

    def test_time_runs_out(self) -> None:
        handle = created(WaitConditionHandle)
        run(WaitConditionHandle.signal(handle, {"reason": "first"}))
        condition = self.condition(handle, count=2, timeout=100)

        with pytest.raises(ResourceFailed) as raised:
            self.wait(condition)

        assert (raised.value.kind, raised.value.message) == (
            "WaitConditionTimeout",
            "1 of 2 received - first",
        )
        assert sum(condition.slept) == 100

    def test_no_signal_at_all(self) -> None:
        with pytest.raises(ResourceFailed) as raised:
            self.wait(self.condition(created(WaitConditionHandle), timeout=1))

        assert raised.value.message == "0 of 1 received"

    def test_a_handle_can_signal_itself(self) -> None:
        condition = self.condition(created(WaitConditionHandle, signal_transport="NO_SIGNAL"), count=3)
        self.wait(condition)

        assert sum(condition.slept) == 0

    def test_signals_are_fetched(self) -> None:
        handle = created(WaitConditionHandle, signal_transport="ZAQAR_SIGNAL")
        condition = self.condition(handle)
        condition.on_wait = lambda: handle.incoming.append({"data": "d"})

        self.wait(condition)

        assert condition.slept == [1]
        assert handle.metadata["1"]["data"] == "d"

    def test_needs_a_handle(self) -> None:
        with pytest.raises(ResourceFailed):
            self.wait(self.condition(created(Probe)))
        with pytest.raises(ResourceFailed):
            self.wait(self.condition(created(WaitConditionHandle), handle="other"))

    def test_an_update_waits_again(self) -> None:
        handle = created(WaitConditionHandle)
        run(WaitConditionHandle.signal(handle, None))
        condition = self.condition(handle)
        self.wait(condition)

        with pytest.raises(ResourceFailed):
            run(WaitCondition.update(condition, {**condition.properties, "count": 2}, frozenset({"count"})))

    def test_deletion_forgets_the_signals(self) -> None:
        handle = created(WaitConditionHandle)
        run(WaitConditionHandle.signal(handle, None))
        WaitCondition.delete(self.condition(handle))

        assert handle.metadata == {}

    def test_aws(self) -> None:
        handle = created(AwsHandle)
        run(AwsHandle.signal(handle, {"Status": "SUCCESS", "Reason": "", "UniqueId": "i", "Data": "d"}))
        props = properties_of(AwsCondition, Handle="h", Timeout=1)
        condition = FakeContext(AwsCondition, props, peers={"h": handle})

        run(AwsCondition.create(condition, props))

        assert AwsCondition.attribute(condition, "Data") == '{"i": "d"}'


def test_restarter_has_its_resource_replaced() -> None:
    context = created(HARestarter, InstanceId="server")
    run(HARestarter.signal(context, None))

    assert context.calls[-1] == ("recreate", "server")
    assert HARestarter.attribute(context, "AlarmUrl") == "https://cfn/signal?Signature=s"
