"""Stacks in the CFN API."""

from __future__ import annotations

import json
from typing import Any

import pytest

from calor.api.cfn.actions import pages, stacks
from calor.store import tables
from tests.api.cfn.client import Client, refused
from tests.support.api import OTHER, PROJECT, token

TEMPLATE: dict[str, Any] = {
    "AWSTemplateFormatVersion": "2010-09-09",
    "Description": "One value",
    "Parameters": {
        "Value": {"Type": "String", "Default": "first"},
        "Other": {"Type": "String", "Default": "other"},
        "Key": {"Type": "String", "NoEcho": "true", "Default": "s3cret"},
    },
    "Resources": {"a": {"Type": "OS::Heat::TestResource", "Properties": {"value": {"Ref": "Value"}}}},
    "Outputs": {"Value": {"Value": {"Ref": "Value"}}, "Key": {"Value": {"Ref": "Key"}}},
}
BODY = json.dumps(TEMPLATE)
FAILING = json.dumps(
    {
        **TEMPLATE,
        "Resources": {"b": {"Type": "OS::Heat::TestResource", "Properties": {"value": "x", "fail": True}}},
        "Outputs": {},
    }
)


def members(**values: str) -> dict[str, str]:
    """The parameters of a template, as AWS's clients send them."""
    made = {}
    for number, (name, value) in enumerate(values.items(), 1):
        made[f"Parameters__member__{number}__ParameterKey"] = name
        made[f"Parameters__member__{number}__ParameterValue"] = value
    return made


def created(cfn: Client, name: str = "s", **given: str) -> str:
    return str(cfn.result("CreateStack", StackName=name, **{"TemplateBody": BODY, **given})["StackId"])


def parameters(stack: Any) -> dict[str, Any]:
    return {one["ParameterKey"]: one["ParameterValue"] for one in stack["Parameters"]}


class TestCreating:
    def test_the_answer_is_the_arn(self, cfn: Client) -> None:
        assert created(cfn).startswith(f"arn:openstack:heat::{PROJECT}:stacks/s/")

    def test_what_was_created_is_described(self, live: Client) -> None:
        id = created(live, TimeoutInMinutes="7", OnFailure="ROLLBACK", **members(Value="given"))
        stack = live.settled("s")
        assert (stack["StackId"], stack["StackName"], stack["StackStatus"]) == (id, "s", "CREATE_COMPLETE")
        assert (stack["TimeoutInMinutes"], stack["DisableRollback"]) == (7, False)
        assert (stack["Capabilities"], stack["NotificationARNs"]) == ([], [])
        assert parameters(stack) | {"Value": "given", "Other": "other", "Key": "******"} == parameters(stack)
        outputs = {one["OutputKey"]: one["OutputValue"] for one in stack["Outputs"]}
        assert outputs["Value"] == "given"

    @pytest.mark.parametrize(
        ("given", "disabled"),
        [
            ({}, True),
            ({"DisableRollback": "false"}, False),
            ({"DisableRollback": "True"}, True),
            ({"OnFailure": "DO_NOTHING"}, True),
            ({"OnFailure": "ROLLBACK"}, False),
            ({"OnFailure": "DELETE"}, False),
        ],
    )
    def test_rollback(self, cfn: Client, given: dict[str, str], disabled: bool) -> None:
        created(cfn, **given)
        (stack,) = cfn.result("DescribeStacks", StackName="s")["Stacks"]
        assert stack["DisableRollback"] is disabled

    @pytest.mark.parametrize(
        ("given", "code"),
        [
            ({"TemplateBody": ""}, "MissingParameter"),
            ({"StackName": ""}, "MissingParameter"),
            ({"StackName": "1 2"}, "InvalidParameterValue"),
            ({"TemplateURL": "http://t.test/t"}, "InvalidParameterCombination"),
            ({"OnFailure": "CRY"}, "InvalidParameterValue"),
            ({"OnFailure": "DELETE", "DisableRollback": "true"}, "InvalidParameterCombination"),
            ({"DisableRollback": "perhaps"}, "InvalidParameterValue"),
            ({"TimeoutInMinutes": "0"}, "InvalidParameterValue"),
            ({"TimeoutInMinutes": "-1"}, "InvalidParameterValue"),
            ({"TimeoutInMinutes": "\u00b2"}, "InvalidParameterValue"),
            (members(Unknown="x"), "InvalidParameterValue"),
            ({"Parameters__member__1__ParameterValue": "x"}, "MissingParameter"),
            ({"TemplateBody": "{"}, "InvalidParameterValue"),
            ({"TemplateBody": "x" * 600_000}, "RequestLimitExceeded"),
            ({"TemplateBody": "x" * 2_100_000}, "RequestLimitExceeded"),
        ],
        ids=lambda one: str(one)[:60],
    )
    def test_refusals(self, cfn: Client, given: dict[str, str], code: str) -> None:
        refused(cfn("CreateStack", **{"StackName": "s", "TemplateBody": BODY, **given}), 400, code)
        assert cfn.result("ListStacks") == {"StackSummaries": []}

    def test_names_are_unique(self, cfn: Client) -> None:
        created(cfn)
        refused(cfn("CreateStack", StackName="s", TemplateBody=BODY), 400, "AlreadyExists")

    @pytest.mark.parametrize("name", ["TemplateURL", "TemplateUrl"])
    def test_templates_at_urls(self, cfn: Client, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
        asked: list[str] = []

        def fetch(url: str) -> str:
            asked.append(url)
            return BODY

        monkeypatch.setattr(cfn.stage.queries.validation, "fetch", fetch)
        created(cfn, TemplateBody="", **{name: "https://t.test/t"})
        assert asked == ["https://t.test/t"]

    def test_parameters_without_effect_are_ignored_and_logged(
        self, cfn: Client, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level("INFO")
        created(
            cfn,
            NotificationARNs__member__1="arn:aws:sns:x",
            RoleARN="r",
            Capabilities__member__1="CAPABILITY_IAM",
        )
        assert "ignored: NotificationARNs, RoleARN" in caplog.text


class TestUpdating:
    def change(self, live: Client, **given: str) -> Any:
        created(live, **members(Value="one", Other="two"))
        live.settled("s")
        live.result("UpdateStack", StackName="s", **given)
        return live.settled("s")

    def test_other_parameters_have_their_defaults_again(self, live: Client) -> None:
        stack = self.change(live, TemplateBody=BODY, **members(Value="three"))
        assert stack["StackStatus"] == "UPDATE_COMPLETE"
        assert parameters(stack) | {"Value": "three", "Other": "other"} == parameters(stack)

    def test_previous_values_are_kept_where_it_is_wanted(self, live: Client) -> None:
        kept = {
            "Parameters__member__1__ParameterKey": "Other",
            "Parameters__member__1__UsePreviousValue": "true",
        }
        stack = self.change(live, UsePreviousTemplate="true", **kept)
        assert parameters(stack) | {"Value": "first", "Other": "two"} == parameters(stack)

    def test_a_value_is_either_new_or_previous(self, cfn: Client) -> None:
        created(cfn)
        both = {**members(Other="x"), "Parameters__member__1__UsePreviousValue": "true"}
        answer = cfn("UpdateStack", StackName="s", TemplateBody=BODY, **both)
        refused(answer, 400, "InvalidParameterCombination")

    def test_what_is_shown_can_be_sent_back(self, live: Client) -> None:
        created(live, **members(Value="one", Other="two"))
        before = parameters(live.settled("s"))
        kept = {}
        for number, name in enumerate(before, 1):
            kept[f"Parameters__member__{number}__ParameterKey"] = name
            kept[f"Parameters__member__{number}__UsePreviousValue"] = "true"
        live.result("UpdateStack", StackName="s", TemplateBody=BODY, **kept)
        assert parameters(live.settled("s")) == before

    def test_it_needs_a_template(self, cfn: Client) -> None:
        created(cfn)
        refused(cfn("UpdateStack", StackName="s"), 400, "MissingParameter")

    def test_tags_are_kept(self, cfn: Client) -> None:
        id = cfn.stage.add_stack("tagged", tags=["blue"])
        cfn.result("UpdateStack", StackName="tagged", TemplateBody=BODY)
        with cfn.stage.database.connect() as connection:
            rows = connection.execute(tables.stack.select().where(tables.stack.c.id == id))
            assert [row.tags for row in rows] == [["blue"]]

    def test_only_updates_in_progress_are_cancelled(self, cfn: Client) -> None:
        cfn.stage.add_stack("done")
        refused(cfn("CancelUpdateStack", StackName="done"), 400, "InvalidParameterValue")
        cfn.stage.add_stack("busy", action="UPDATE", status="IN_PROGRESS")
        assert cfn.result("CancelUpdateStack", StackName="busy") == {}
        (stack,) = cfn.result("DescribeStacks", StackName="busy")["Stacks"]
        assert stack["StackStatus"] == "ROLLBACK_IN_PROGRESS"


class TestDeleting:
    def test_who_knows_the_id_sees_that_it_is_gone(self, live: Client) -> None:
        id = created(live)
        live.settled("s")
        assert live.result("DeleteStack", StackName="s") == ""
        stack = live.settled(id)
        assert (stack["StackStatus"], stack["Outputs"]) == ("DELETE_COMPLETE", [])
        assert "DeletionTime" in stack
        refused(live("DescribeStacks", StackName="s"), 400, "InvalidParameterValue")
        refused(live("DeleteStack", StackName=id), 400, "InvalidParameterValue")
        (line,) = live.result("ListStacks", StackStatusFilter__member__1="DELETE_COMPLETE")["StackSummaries"]
        assert line["StackId"] == id

    def test_nothing_is_deleted_that_was_to_be_retained(self, cfn: Client) -> None:
        created(cfn)
        answer = cfn("DeleteStack", StackName="s", RetainResources__member__1="a")
        refused(answer, 400, "InvalidParameterValue")
        assert cfn.result("DescribeStacks", StackName="s")["Stacks"][0]["StackStatus"] == "CREATE_IN_PROGRESS"


class TestListing:
    def test_lines(self, cfn: Client) -> None:
        id = cfn.stage.add_stack("s", description="What it is", updated_at=1_700_000_000.0)
        (line,) = cfn.result("ListStacks")["StackSummaries"]
        del line["CreationTime"]
        assert line == {
            "LastUpdatedTime": "2023-11-14T22:13:20Z",
            "StackId": f"arn:openstack:heat::{PROJECT}:stacks/s/{id}",
            "StackName": "s",
            "StackStatusReason": "Stack CREATE completed successfully",
            "StackStatus": "CREATE_COMPLETE",
            "TemplateDescription": "What it is",
        }

    def test_statuses_are_filtered_with_their_actions(self, cfn: Client) -> None:
        cfn.stage.add_stack("a")
        cfn.stage.add_stack("b", action="UPDATE", status="FAILED")
        cfn.stage.add_stack("c", status="FAILED")
        wanted = {
            "StackStatusFilter__member__1": "CREATE_COMPLETE",
            "StackStatusFilter__member__2": "UPDATE_FAILED",
        }
        assert {one["StackName"] for one in cfn.result("ListStacks", **wanted)["StackSummaries"]} == {
            "a",
            "b",
        }
        wanted["StackStatusFilter__member__2"] = "REVIEW_IN_PROGRESS"
        refused(cfn("ListStacks", **wanted), 400, "InvalidParameterValue")

    @pytest.mark.parametrize(
        ("action", "name", "limit"),
        [("ListStacks", "StackSummaries", "LISTED"), ("DescribeStacks", "Stacks", "DESCRIBED")],
    )
    def test_pages(
        self, cfn: Client, monkeypatch: pytest.MonkeyPatch, action: str, name: str, limit: str
    ) -> None:
        monkeypatch.setattr(stacks, limit, 2)
        ids = {cfn.stage.add_stack(f"s{number}", created_at=float(number)) for number in range(5)}
        seen: list[str] = []
        more: dict[str, str] = {}
        while True:
            found = cfn.result(action, **more)
            seen += [one["StackId"].rpartition("/")[2] for one in found[name]]
            if "NextToken" not in found:
                break
            assert len(found[name]) == 2
            more = {"NextToken": found["NextToken"]}
            # That the last one of a page is deleted meanwhile changes nothing.
            cfn.stage.change(tables.stack, found["NextToken"], deleted_at=1.0)
        assert (len(seen), set(seen)) == (5, ids)

    def test_large_members_end_a_page(self, cfn: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(pages, "LARGEST", 5_000)
        template = {**TEMPLATE, "Resources": {}, "Outputs": {"o": {"Value": "x"}}}
        for number in range(3):
            outputs = {"o": {"value": "x" * 8_000}}
            cfn.stage.add_stack(f"s{number}", template=template, outputs=outputs)
        found = cfn.result("DescribeStacks")
        assert (len(found["Stacks"]), "NextToken" in found) == (1, True)

    def test_tokens_are_those_of_this_list(self, cfn: Client) -> None:
        refused(cfn("ListStacks", NextToken="' OR 1=1"), 400, "InvalidParameterValue")


class TestOtherProjects:
    @pytest.mark.parametrize("roles", ["member,reader", "admin,member,reader"])
    def test_their_stacks_are_not_there(self, cfn: Client, roles: str) -> None:
        """Not even for admins, who have the REST API for that."""
        id = created(cfn)
        stranger = cfn.by(token("mallory", OTHER, roles))
        for name in (id, id.rpartition("/")[2], "s"):
            for action in (
                "DescribeStacks",
                "DeleteStack",
                "GetTemplate",
                "DescribeStackEvents",
                "ListStackResources",
            ):
                refused(stranger(action, StackName=name), 400, "InvalidParameterValue")
            refused(stranger("UpdateStack", StackName=name, TemplateBody=BODY), 400, "InvalidParameterValue")
            answer = stranger("DescribeStackResource", StackName=name, LogicalResourceId="a")
            refused(answer, 400, "InvalidParameterValue")
        assert stranger.result("ListStacks") == {"StackSummaries": []}
        assert stranger.result("DescribeStackEvents") == {"StackEvents": []}

    def test_readers_change_nothing(self, cfn: Client) -> None:
        created(cfn)
        reader = cfn.by(token("rita", roles="reader"))
        reader.result("DescribeStacks", StackName="s")
        for action in ("CreateStack", "UpdateStack", "DeleteStack", "CancelUpdateStack"):
            refused(reader(action, StackName="s", TemplateBody=BODY), 403, "AccessDenied")
