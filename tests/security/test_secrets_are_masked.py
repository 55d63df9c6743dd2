"""Secrets do not show in plans, previews and events: values of hidden parameters, credentials that types know to be
such, and whatever is made of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from calor.engine.walk import retrying
from calor.language.schema import SHOW, Attribute, Property
from calor.resources.outcomes import ResourceFailed
from calor.service.policy import Policy
from calor.service.queries import Queries
from calor.types import catalogue
from tests.support.api import PROJECT, Door, Stage, open_door, token
from tests.support.workbench import Probe, Workbench

HUSH = "hush-7f1e"
SESAME = "sesame-22ab"
PASSWORD = "pass-93cd"
TOKEN = "token-of-"

SCRIPT = """#!/bin/sh
curl -H 'X-Auth-Token: TOKEN' http://there/
echo VERSION
"""


class Handle(Probe, extends=True):
    """Gives a credential."""

    type_name = "Test::Handle"
    properties = {
        **Probe.properties,
        "password": Property(str, update_allowed=True, secret=True),
        "users": Property(
            list,
            update_allowed=True,
            items=Property(dict, fields={"name": Property(str), "word": Property(str, secret=True)}),
        ),
    }
    attributes = {"token": Attribute(str, secret=True), "name": Attribute(str), "show": SHOW}

    @classmethod
    def attribute(cls, ctx: Any, name: str) -> Any:
        return f"{TOKEN}{ctx.name}" if name == "token" else ctx.name if name == "name" else None


class LetterBox(Probe, extends=True):
    """A reference to it is a credential."""

    type_name = "Test::LetterBox"
    secret_reference = True

    @classmethod
    async def create(cls, ctx: Any, props: Mapping[str, Any]) -> None:
        await super().create(ctx, props)
        ctx.set_reference(f"{TOKEN}letters")


class Parrot(Probe, extends=True):
    """Fails as services do, which repeat what they were sent."""

    type_name = "Test::Parrot"

    @classmethod
    async def create(cls, ctx: Any, props: Mapping[str, Any]) -> None:
        if props["fails"] == "create":
            raise ResourceFailed(f"there is no {props['value']}", "ResourceInError")

    @classmethod
    async def find(cls, ctx: Any) -> bool:
        return False

    @classmethod
    async def update(cls, ctx: Any, props: Mapping[str, Any], changed: frozenset[str]) -> None:
        raise RuntimeError(f"there is no {props['value']}, only {ctx.properties['value']}")

    @classmethod
    def check(cls, ctx: Any) -> None:
        raise RuntimeError(f"there is no {ctx.properties['value']}")


CHILD = """
heat_template_version: 2018-08-31
resources:
  inner: {type: Test::Handle}
outputs:
  made: {value: {get_attr: [inner, token]}}
  open: {value: {get_attr: [inner, name]}}
"""


def template(version: str = "1", **more: Any) -> dict[str, Any]:
    script = {"TOKEN": {"get_attr": ["handle", "token"]}, "VERSION": version}
    resources = {
        "handle": {
            "type": "Test::Handle",
            "properties": {"password": PASSWORD, "users": [{"name": "anna", "word": PASSWORD}]},
        },
        "letters": {"type": "Test::LetterBox"},
        "hidden": {"type": "Test::Probe", "properties": {"value": {"get_param": "key"}}},
        "script": {
            "type": "Test::Probe",
            "properties": {"value": {"str_replace": {"template": SCRIPT, "params": script}}},
        },
        "below": {"type": "child.yaml"},
        "reader": {
            "type": "Test::Probe",
            "properties": {
                "value": {
                    "list_join": [
                        "/",
                        [{"get_attr": ["below", "made"]}, {"get_resource": "letters"}, version],
                    ]
                }
            },
        },
        "group": {
            "type": "OS::Heat::ResourceGroup",
            "properties": {
                "count": 1,
                "resource_def": {
                    "type": "Test::Probe",
                    "properties": {
                        "value": {"list_join": ["-", [{"get_attr": ["handle", "token"]}, version]]}
                    },
                },
            },
        },
    }
    return {
        "heat_template_version": "2018-08-31",
        "parameters": {"key": {"type": "string", "hidden": True}},
        "resources": {**resources, **more},
        "outputs": {
            "script": {"value": {"get_attr": ["script", "value"]}},
            "token": {"value": {"get_attr": ["handle", "token"]}},
            "below": {"value": {"get_attr": ["below", "made"]}},
            "members": {"value": {"get_attr": ["group", "refs"]}},
            "name": {"value": {"get_attr": ["below", "open"]}},
        },
    }


def body(version: str = "1", key: str = HUSH, **more: Any) -> dict[str, Any]:
    return {
        "template": template(version, **more),
        "files": {"child.yaml": CHILD},
        "parameters": {"key": key},
    }


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    bench = Workbench(f"sqlite:///{tmp_path}/calor.db", [Handle, LetterBox, Parrot])
    policy = Policy()
    queries = Queries(bench.database, bench.world)
    yield open_door(Stage(bench.database, bench.writer, bench.world, queries, bench.commands, policy))
    bench.close()


@pytest.fixture
def path(door: Door) -> str:
    made = door("POST", "/stacks", {"stack_name": "s", **body()})
    assert made.status_code == 201, made.text
    path = f"/stacks/s/{made.json()['stack']['id']}"
    assert door.settled(path)["stack_status"] == "CREATE_COMPLETE"
    return path


@pytest.fixture
def reader(door: Door) -> Door:
    return door.by(token("rita", PROJECT, "reader"))


def tells(shown: Any) -> list[str]:
    """The secrets that can be read in an answer."""
    text = json.dumps(shown)
    return [secret for secret in (HUSH, SESAME, PASSWORD, TOKEN) if secret in text]


def step(plan: Any, *names: str) -> Any:
    found = next(one for one in plan if one["resource_name"] == names[0])
    return step(found["nested"], *names[1:]) if len(names) > 1 else found


def test_single_events_do_not_tell_secrets(door: Door, reader: Door, path: str) -> None:
    answer = door("PUT", path, body("2", SESAME))
    assert answer.status_code == 202, answer.text
    assert door.settled(path)["stack_status"] == "UPDATE_COMPLETE"

    listed = reader.get(f"{path}/events", nested_depth=2)["events"]
    shown = []
    for one in listed:
        address = one["links"][0]["href"].partition(f"/v1/{PROJECT}")[2]
        shown.append(reader.get(address)["event"])
    given = [one["resource_properties"] for one in shown if one.get("resource_properties")]

    assert len(given) >= 12
    assert tells(shown) == []
    scripts = [one["value"] for one in given if "curl" in str(one.get("value"))]
    assert scripts
    assert all("X-Auth-Token: ******" in text for text in scripts)


class TestFailures:
    """Their reasons show in stacks, resources and events."""

    def request(self, key: str, fails: str = "") -> dict[str, Any]:
        value = {"str_replace": {"template": "<K>", "params": {"K": {"get_param": "key"}}}}
        parrot = {"type": "Test::Parrot", "properties": {"value": value, "fails": fails}}
        made = {
            "heat_template_version": "2018-08-31",
            "parameters": {"key": {"type": "string", "hidden": True}},
            "resources": {"p": parrot},
        }
        given = {"type": "below.yaml", "properties": {"key": {"get_param": "key"}}}
        above = {**made, "resources": {"n": given}}
        return {"template": above, "files": {"below.yaml": json.dumps(made)}, "parameters": {"key": key}}

    def shown(self, door: Door, path: str) -> Any:
        events = door.get(f"{path}/events", nested_depth=2)["events"]
        single = [door.get(one["links"][0]["href"].partition(f"/v1/{PROJECT}")[2]) for one in events]
        return [single, door.get(path), door.get(f"{path}/resources", nested_depth=2)]

    def test_of_creations_do_not_tell_secrets(self, door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(retrying, "delay", lambda count: 0.0)
        path = door.create("s", **self.request(HUSH, "create"))

        stack = door.settled(path)

        assert stack["stack_status"] == "CREATE_FAILED"
        assert stack["stack_status_reason"].startswith("Resource CREATE failed: ResourceInError")
        shown = self.shown(door, path)
        assert tells(shown) == []
        assert "there is no ******" in json.dumps(shown)

    def test_of_updates_and_checks_do_not_tell_secrets(self, door: Door) -> None:
        path = door.create("s", **self.request(HUSH))
        assert door.settled(path)["stack_status"] == "CREATE_COMPLETE"

        door("PUT", path, self.request(SESAME))
        assert door.settled(path)["stack_status"] == "UPDATE_FAILED"
        door("POST", f"{path}/actions", {"check": None})
        assert door.settled(path)["stack_status"] == "CHECK_FAILED"

        shown = self.shown(door, path)
        assert tells(shown) == []
        assert "there is no ******, only ******" in json.dumps(shown)


def test_plans_and_previews_of_updates_do_not_tell_secrets(door: Door, path: str) -> None:
    for show_nested in ("false", "true"):
        answer = door("PUT", f"{path}/preview", body("2", SESAME), params={"show_nested": show_nested})

        assert answer.status_code == 200, answer.text
        assert tells(answer.json()) == []


def test_what_changes_around_a_secret_shows(door: Door, path: str) -> None:
    plan = door("PUT", f"{path}/preview", body("2")).json()["plan"]

    [change] = step(plan, "script")["changes"]
    assert change["before"] == SCRIPT.replace("TOKEN'", "******'").replace("VERSION", "1")
    assert change["after"] == SCRIPT.replace("TOKEN'", "******'").replace("VERSION", "2")
    [change] = step(plan, "reader")["changes"]
    assert (change["before"], change["after"]) == ("******/******/1", "******/******/2")
    [change] = step(plan, "group", "0")["changes"]
    assert (change["before"], change["after"]) == ("******-1", "******-2")


def test_a_secret_property_is_masked_also_when_it_goes(door: Door, path: str) -> None:
    bare = {"type": "Test::Handle", "properties": {"password": "other-word"}}

    answer = door("PUT", f"{path}/preview", body("1", handle=bare))

    changes = {one["property"]: one for one in step(answer.json()["plan"], "handle")["changes"]}
    assert (changes["password"]["before"], changes["password"]["after"]) == ("******", "******")
    assert changes["users"]["before"] == [{"name": "anna", "word": "******"}]
    assert "other-word" not in answer.text
    assert tells(answer.json()) == []


def test_what_goes_is_masked(door: Door, path: str) -> None:
    small = {"template": {"heat_template_version": "2018-08-31", "resources": {"a": {"type": "Test::Probe"}}}}

    shown = door("PUT", f"{path}/preview", small, params={"show_nested": "true"}).json()

    assert len(shown["resource_changes"]["deleted"]) >= 7
    assert tells(shown) == []


def test_previews_of_new_stacks_do_not_tell_secrets(door: Door) -> None:
    shown = door("POST", "/stacks/preview", {"stack_name": "new", **body()}).json()["stack"]

    assert tells(shown) == []
    assert step(shown["plan"], "handle")["action"] == "create"


def test_secrets_are_shown_to_those_who_may_update_and_ask_for_them(
    door: Door, reader: Door, path: str
) -> None:
    asked = {"show_secrets": "true"}

    plan = door("PUT", f"{path}/preview", body("2"), params=asked).json()["plan"]
    [change] = step(plan, "script")["changes"]
    assert change["before"] == SCRIPT.replace("TOKEN", "token-of-handle").replace("VERSION", "1").replace(
        "X-Auth-token-of-handle", "X-Auth-Token"
    )
    assert reader("PUT", f"{path}/preview", body("2"), params=asked).status_code == 403
    assert reader("POST", "/stacks/preview", {"stack_name": "n", **body()}, params=asked).status_code == 403


def test_resources_do_not_tell_values_of_hidden_parameters(door: Door, reader: Door) -> None:
    made = {
        "heat_template_version": "2018-08-31",
        "parameters": {"key": {"type": "string", "hidden": True, "default": HUSH}},
        "resources": {
            "v": {"type": "OS::Heat::Value", "properties": {"value": {"get_param": "key"}}},
            "w": {"type": "OS::Heat::Value", "properties": {"value": f"between {HUSH} the lines"}},
        },
    }
    path = door.create("values", made)
    door.settled(path)

    assert reader.get(f"{path}/resources/v")["resource"]["attributes"]["value"] == "******"
    listed = reader.get(f"{path}/resources", with_detail="true")["resources"]
    shown = {one["resource_name"]: one["attributes"]["value"] for one in listed}
    assert shown == {"v": "******", "w": "between ****** the lines"}


def test_outputs_are_there_and_marked(door: Door, path: str) -> None:
    """Heat's clients read them; whoever shows them can tell which to mask."""
    outputs = {one["output_key"]: one for one in door.get(path)["stack"]["outputs"]}

    assert outputs["token"]["output_value"] == outputs["below"]["output_value"].replace("inner", "handle")
    assert {name for name, one in outputs.items() if one.get("sensitive")} == {"script", "token", "below"}
    assert door.get(f"{path}/outputs/token")["output"]["output_value"] == f"{TOKEN}handle"


def test_attributes_that_are_credentials_are_named(door: Door, path: str) -> None:
    assert door.get(f"{path}/resources/handle")["resource"]["sensitive_attributes"] == ["token"]
    assert door.get(f"{path}/resources/below")["resource"]["sensitive_attributes"] == ["made"]
    assert door.get(f"{path}/resources/script")["resource"]["sensitive_attributes"] == ["value"]
    assert "sensitive_attributes" not in door.get(f"{path}/resources/letters")["resource"]


@pytest.mark.parametrize(
    ("type_name", "attributes"),
    [
        ("OS::Heat::WaitConditionHandle", {"token", "curl_cli", "signal"}),
        ("OS::Heat::SwiftSignalHandle", {"token", "endpoint", "curl_cli"}),
        ("OS::Heat::ScalingPolicy", {"alarm_url"}),
        ("AWS::AutoScaling::ScalingPolicy", {"AlarmUrl"}),
        ("OS::Heat::HARestarter", {"AlarmUrl"}),
        ("OS::Heat::RandomString", {"value"}),
        ("OS::Nova::KeyPair", {"private_key"}),
        ("OS::Nova::Server", {"console_urls", "os_collect_config"}),
        ("OS::Barbican::Secret", {"decrypted_payload"}),
        ("OS::Barbican::Order", {"private_key"}),
        ("OS::Mistral::Workflow", {"alarm_url"}),
        ("OS::Zaqar::SignedQueueURL", {"signature", "query_str"}),
        ("AWS::IAM::AccessKey", {"SecretAccessKey"}),
    ],
)
def test_types_declare_which_attributes_are_credentials(type_name: str, attributes: set[str]) -> None:
    declared = catalogue.declaration(type_name)

    assert declared is not None
    assert {name for name, one in declared.attributes.items() if one.secret} == attributes


def test_properties_that_are_passwords_are_declared_as_secret() -> None:
    """Whoever adds a type with one is reminded."""
    suspicious = ("password", "admin_pass", "adminpass", "psk", "passphrase", "payload", "secret_key")

    def found(properties: Mapping[str, Property], where: str) -> Iterator[tuple[str, bool]]:
        for name, one in properties.items():
            if name.lower() in suspicious or name.lower().endswith("password"):
                yield f"{where}.{name}", one.secret
            for below in (one.fields, one.items.fields if one.items else None):
                yield from found(below or {}, f"{where}.{name}")

    every = [
        pair
        for name in catalogue.names()
        if (declared := catalogue.declaration(name)) is not None
        for pair in found(declared.properties, name)
    ]
    assert len(every) >= 7
    assert [name for name, secret in every if not secret] == []


def test_references_that_are_credentials_are_declared() -> None:
    named = {
        name
        for name in catalogue.names()
        if (declared := catalogue.declaration(name)) is not None and declared.secret_reference
    }
    assert named == {
        "AWS::AutoScaling::ScalingPolicy",
        "AWS::CloudFormation::WaitConditionHandle",
        "OS::Heat::RandomString",
        "OS::Heat::SwiftSignalHandle",
        "OS::Heat::UpdateWaitConditionHandle",
    }
