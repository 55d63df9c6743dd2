"""A secret stays one on its way through properties, attributes, stacks below and groups: what is read at the end is
marked, and masked wherever secrets are."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from calor.language.schema import SHOW, Attribute
from calor.service.policy import Policy
from calor.service.queries import Queries
from tests.support.api import PROJECT, Door, Stage, open_door, token
from tests.support.workbench import Probe, Workbench

TOKEN = "token-of-"
MASK = "******"


class Handle(Probe):
    """Gives a credential."""

    type_name = "Test::Handle"
    attributes = {"token": Attribute(str, secret=True)}

    @classmethod
    def attribute(cls, ctx: Any, name: str) -> Any:
        return f"{TOKEN}{ctx.name}"


class LetterBox(Probe):
    """A reference to it is a credential."""

    type_name = "Test::LetterBox"
    secret_reference = True

    @classmethod
    async def create(cls, ctx: Any, props: Mapping[str, Any]) -> None:
        await super().create(ctx, props)
        ctx.set_reference(f"{TOKEN}letters")


class Shown(Probe):
    """Has attributes that tell of its properties in other words."""

    type_name = "Test::Shown"
    attributes = {"sentence": Attribute(str), "show": SHOW}

    @classmethod
    def attribute(cls, ctx: Any, name: str) -> Any:
        value = ctx.properties["value"]
        return {"value": value, "open": "o"} if name == "show" else f"this is {value}, and open"


CREDENTIAL = {"get_attr": ["handle", "token"]}


def hot(resources: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {"heat_template_version": "2018-08-31", "resources": dict(resources), **more}


def value(of: Any) -> dict[str, Any]:
    return {"type": "OS::Heat::Value", "properties": {"value": of}}


def group(type_name: str, properties: Any = None) -> dict[str, Any]:
    member = {"type": type_name, "properties": properties or {}}
    return {"type": "OS::Heat::ResourceGroup", "properties": {"count": 2, "resource_def": member}}


def scaled(of: Any, size: int = 1) -> dict[str, Any]:
    member = {"type": "Test::Probe", "properties": {"value": of}}
    return {
        "type": "OS::Heat::AutoScalingGroup",
        "properties": {"min_size": size, "max_size": 3, "resource": member},
    }


GIVEN = {"given": {"type": "string", "default": ""}}
CHILD = hot(
    {"inner": value({"get_param": "given"})},
    parameters=GIVEN,
    outputs={"made": {"value": {"get_attr": ["inner", "value"]}}, "open": {"value": "o"}},
)
FILES = {
    "child.yaml": json.dumps(CHILD),
    "deep.yaml": json.dumps(
        hot(
            {"below": {"type": "child.yaml", "properties": {"given": {"get_param": "given"}}}},
            parameters=GIVEN,
            outputs={"made": {"value": {"get_attr": ["below", "made"]}}},
        )
    ),
    "named.yaml": json.dumps(
        hot(
            {"box": {"type": "Test::LetterBox"}}, outputs={"OS::stack_id": {"value": {"get_resource": "box"}}}
        )
    ),
}

WAYS: dict[str, tuple[dict[str, Any], Any]] = {
    "a value": (value(CREDENTIAL), {"get_attr": ["way", "value"]}),
    "a value in a map": (value({"a": [CREDENTIAL]}), {"get_attr": ["way", "value", "a", 0]}),
    "all attributes": (value(CREDENTIAL), {"get_attr": ["way"]}),
    "an attribute": (
        {"type": "Test::Probe", "properties": {"value": CREDENTIAL}},
        {"get_attr": ["way", "value"]},
    ),
    "a text with it": (
        {"type": "Test::Shown", "properties": {"value": CREDENTIAL}},
        {"get_attr": ["way", "sentence"]},
    ),
    "show": ({"type": "Test::Shown", "properties": {"value": CREDENTIAL}}, {"get_attr": ["way", "show"]}),
    "an output of a stack below": (
        {"type": "child.yaml", "properties": {"given": CREDENTIAL}},
        {"get_attr": ["way", "made"]},
    ),
    "a resource of a stack below": (
        {"type": "child.yaml", "properties": {"given": CREDENTIAL}},
        {"get_attr": ["way", "resource.inner", "value"]},
    ),
    "an output of a stack below a stack below": (
        {"type": "deep.yaml", "properties": {"given": CREDENTIAL}},
        {"get_attr": ["way", "made"]},
    ),
    "what a stack below refers to": ({"type": "named.yaml"}, {"get_resource": "way"}),
    "members of a group": (
        group("OS::Heat::Value", {"value": CREDENTIAL}),
        {"get_attr": ["way", "value"]},
    ),
    "members of a group, by name": (
        group("OS::Heat::Value", {"value": CREDENTIAL}),
        {"get_attr": ["way", "attributes", "value"]},
    ),
    "a member of a group": (
        group("Test::Probe", {"value": CREDENTIAL}),
        {"get_attr": ["way", "resource.1.value"]},
    ),
    "members that are stacks": (
        group("child.yaml", {"given": CREDENTIAL}),
        {"get_attr": ["way", "made"]},
    ),
    "references of members": (group("Test::LetterBox"), {"get_attr": ["way", "refs"]}),
    "references of members, by name": (group("Test::LetterBox"), {"get_attr": ["way", "refs_map"]}),
    "members of a scaled group": (scaled(CREDENTIAL), {"get_attr": ["way", "outputs_list", "value"]}),
}
each_way = pytest.mark.parametrize(("way", "read"), WAYS.values(), ids=WAYS.keys())


def template(way: Any, read: Any, version: str = "1") -> dict[str, Any]:
    text = {"str_replace": {"template": "V T", "params": {"V": version, "T": {"yaql": _text_of(read)}}}}
    return hot(
        {
            "handle": {"type": "Test::Handle"},
            "way": way,
            "end": {"type": "Test::Probe", "properties": {"value": text}},
        },
        outputs={"found": {"value": read}},
    )


def _text_of(read: Any) -> dict[str, Any]:
    return {"expression": "str($.data)", "data": read}


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    made = Workbench(f"sqlite:///{tmp_path}/calor.db", [Handle, LetterBox, Shown])
    yield made
    made.close()


@pytest.fixture
def door(bench: Workbench) -> Door:
    queries = Queries(bench.database, bench.world)
    return open_door(Stage(bench.database, bench.writer, bench.world, queries, bench.commands, Policy()))


@pytest.fixture
def reader(door: Door) -> Door:
    return door.by(token("rita", PROJECT, "reader"))


def made(door: Door, template: dict[str, Any]) -> str:
    path = door.create("s", template, files=FILES)
    assert door.settled(path)["stack_status"] == "CREATE_COMPLETE"
    return path


def places(door: Door, path: str) -> dict[str, str]:
    """The paths of the stack and of those below it, by their ids."""
    listed = door.get(f"{path}/resources", nested_depth=3)["resources"]
    links = [link["href"] for one in listed for link in one["links"] if link["rel"] in ("stack", "nested")]
    return {link.rsplit("/", 1)[1]: link.partition(f"/v1/{PROJECT}")[2] for link in links}


def events(reader: Door, path: str) -> list[Any]:
    listed = reader.get(f"{path}/events", nested_depth=3)["events"]
    paths = [one["links"][0]["href"].partition(f"/v1/{PROJECT}")[2] for one in listed]
    return [reader.get(one)["event"] for one in paths]


@each_way
def test_what_is_read_at_the_end_is_marked(door: Door, way: Any, read: Any) -> None:
    path = made(door, template(way, read))

    [output] = door.get(path)["stack"]["outputs"]

    assert TOKEN in json.dumps(output["output_value"])
    assert output["sensitive"] is True
    assert any(value.startswith("1 ") and TOKEN in value for _, name, value in Probe.journal if name == "end")


@each_way
def test_readers_do_not_see_it(door: Door, reader: Door, way: Any, read: Any) -> None:
    path = made(door, template(way, read))

    assert TOKEN not in json.dumps(events(reader, path))
    listed = reader.get(f"{path}/resources", nested_depth=3, with_detail="true")["resources"]
    assert TOKEN not in json.dumps(listed)
    for wanted in ("value", "show", "resource.0", "resource.0.value", "resource.inner.value", "refs", "made"):
        assert TOKEN not in json.dumps(reader.get(f"{path}/resources/way", with_attr=wanted))
    for place in places(door, path).values():
        shown = reader.get(place)["stack"]
        assert TOKEN not in json.dumps(shown["parameters"])
        assert TOKEN not in json.dumps(reader.get(f"{place}/template"))
        assert TOKEN not in json.dumps(reader.get(f"{place}/environment"))


@each_way
def test_plans_do_not_tell_it(door: Door, way: Any, read: Any) -> None:
    path = made(door, template(way, read))
    body = {"template": template(way, read, "2"), "files": FILES}

    for show_nested in ("false", "true"):
        answer = door("PUT", f"{path}/preview", body, params={"show_nested": show_nested})
        assert answer.status_code == 200, answer.text
        assert TOKEN not in answer.text
    small = {"template": hot({"handle": {"type": "Test::Handle"}}), "files": FILES}
    assert TOKEN not in door("PUT", f"{path}/preview", small, params={"show_nested": "true"}).text


def test_what_is_open_beside_a_secret_is_not_marked(door: Door, reader: Door) -> None:
    path = made(
        door,
        hot(
            {
                "handle": {"type": "Test::Handle"},
                "below": {"type": "child.yaml", "properties": {"given": CREDENTIAL}},
                "map": value({"open": "o", "closed": CREDENTIAL}),
                "plain": value("o"),
            },
            outputs={
                "below": {"value": {"get_attr": ["below", "open"]}},
                "map": {"value": {"get_attr": ["map", "value", "open"]}},
                "plain": {"value": {"get_attr": ["plain", "value"]}},
            },
        ),
    )

    assert not any("sensitive" in one for one in door.get(path)["stack"]["outputs"])
    assert reader.get(f"{path}/resources/plain")["resource"]["attributes"]["value"] == "o"
    assert "sensitive_attributes" not in door.get(f"{path}/resources/plain")["resource"]


@pytest.mark.parametrize("short", ["abc", "17"])
def test_a_short_hidden_value_is_followed_as_well(door: Door, short: str) -> None:
    path = made(
        door,
        hot(
            {"v": value({"get_param": "key"}), "w": value({"get_attr": ["v", "value"]})},
            parameters={"key": {"type": "string", "hidden": True, "default": short}},
            outputs={"found": {"value": {"get_attr": ["w", "value"]}}},
        ),
    )

    [output] = door.get(path)["stack"]["outputs"]
    assert (output["output_value"], output.get("sensitive")) == (short, True)


def test_a_value_that_becomes_hidden_is_followed_from_then_on(door: Door, reader: Door) -> None:
    def of(hidden: bool) -> dict[str, Any]:
        return hot(
            {"v": value({"digest": ["sha256", {"get_param": "key"}]})},
            parameters={"key": {"type": "string", "hidden": hidden, "default": "k"}},
            outputs={"found": {"value": {"get_attr": ["v", "value"]}}},
        )

    path = made(door, of(False))
    assert "sensitive" not in door.get(path)["stack"]["outputs"][0]
    assert door("PUT", path, {"template": of(True)}).status_code == 202
    assert door.settled(path)["stack_status"] == "UPDATE_COMPLETE"

    assert door.get(path)["stack"]["outputs"][0]["sensitive"] is True
    assert reader.get(f"{path}/resources/v")["resource"]["attributes"]["value"] == MASK


def test_readers_do_not_see_hidden_values_in_metadata(door: Door, reader: Door) -> None:
    probe = {"type": "Test::Probe", "metadata": {"key": {"get_param": "key"}, "open": "o"}}
    parameters = {"key": {"type": "string", "hidden": True, "default": TOKEN}}
    path = made(door, hot({"p": probe}, parameters=parameters))

    assert reader.get(f"{path}/resources/p/metadata")["metadata"] == {"key": MASK, "open": "o"}
    assert door.get(f"{path}/resources/p/metadata")["metadata"]["key"] == TOKEN


def test_secrets_of_scaled_members_are_followed_when_the_group_grows(door: Door, reader: Door) -> None:
    policy = {
        "type": "OS::Heat::ScalingPolicy",
        "properties": {
            "auto_scaling_group_id": {"get_resource": "way"},
            "adjustment_type": "change_in_capacity",
            "scaling_adjustment": 1,
        },
    }
    read = {"get_attr": ["way", "outputs_list", "value"]}
    whole = template(scaled(CREDENTIAL), read)
    path = made(door, {**whole, "resources": {**whole["resources"], "up": policy}})

    assert door("POST", f"{path}/resources/up/signal", {}).status_code == 200
    for _ in range(600):
        [output] = door.get(path)["stack"]["outputs"]
        if len(output["output_value"]) == 2:
            break
        door.settled(path)

    assert output["output_value"] == [f"{TOKEN}handle"] * 2
    assert output["sensitive"] is True
    assert TOKEN not in json.dumps(events(reader, path))


def test_whoever_may_update_sees_it_in_a_plan_if_asked_for(door: Door) -> None:
    way, read = WAYS["a value"]
    path = made(door, template(way, read))
    body = {"template": template(way, read, "2"), "files": FILES}

    plan = door("PUT", f"{path}/preview", body, params={"show_secrets": "true"}).json()["plan"]

    [change] = next(one for one in plan if one["resource_name"] == "end")["changes"]
    assert (change["before"], change["after"]) == (f"1 {TOKEN}handle", f"2 {TOKEN}handle")


def test_a_text_is_shown_around_the_secret_in_it(door: Door) -> None:
    way, read = WAYS["a text with it"]

    def of(version: str) -> dict[str, Any]:
        end = {"type": "Test::Probe", "properties": {"value": {"list_join": ["/", [read, version]]}}}
        return hot({"handle": {"type": "Test::Handle"}, "way": way, "end": end})

    path = made(door, of("1"))
    plan = door("PUT", f"{path}/preview", {"template": of("2"), "files": FILES}).json()["plan"]

    [change] = next(one for one in plan if one["resource_name"] == "end")["changes"]
    assert change["after"] == f"this is {MASK}, and open/2"
