"""Requests to create stacks: what is taken, what is refused, and how that is told."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from tests.support.api import EMPTY, SMALL, Door, Stage, error, open_door

BROKEN: dict[str, Any] = {
    "heat_template_version": "2021-04-16",
    "resources": {"a": {"type": "OS::Heat::TestResource", "properties": {"valeu": 1}}},
}


def post(door: Door, **body: Any) -> Any:
    return door("POST", "/stacks", {"stack_name": "s", "template": SMALL, **body})


class TestWhatIsTaken:
    def test_templates_as_text(self, door: Door) -> None:
        path = door.create(template=yaml.safe_dump(SMALL))

        assert door.get(f"{path}/template") == SMALL

    def test_environments_as_text_and_as_objects(self, door: Door) -> None:
        one = door.create("a", environment="parameters: {size: 5}")
        other = door.create("b", environment={"parameters": {"size": 6}}, parameters={"size": "7"})

        assert door.get(one)["stack"]["parameters"]["size"] == "5"
        assert door.get(other)["stack"]["parameters"]["size"] == "7"

    def test_environments_that_are_only_parameters(self, door: Door) -> None:
        path = door.create(environment={"size": 5})

        assert door.get(path)["stack"]["parameters"]["size"] == "5"

    def test_environment_files_come_instead_of_the_environment(self, door: Door) -> None:
        path = door.create(
            files={"one.yaml": "parameters: {size: 8}", "two.yaml": "parameters: {size: 9}"},
            environment_files=["one.yaml", "two.yaml"],
            environment={"parameters": {"size": 1}},
        )

        assert door.get(path)["stack"]["parameters"]["size"] == "9"

    def test_rollback_is_off_unless_asked_for(self, door: Door) -> None:
        assert door.get(door.create("a"))["stack"]["disable_rollback"] is True
        assert door.get(door.create("b", disable_rollback="False"))["stack"]["disable_rollback"] is False

    @pytest.mark.parametrize(("given", "shown"), [(None, None), (0, None), (30, 30), ("30", 30)])
    def test_timeouts(self, door: Door, given: Any, shown: int | None) -> None:
        assert door.get(door.create(timeout_mins=given))["stack"]["timeout_mins"] == shown

    def test_tags(self, door: Door) -> None:
        assert door.get(door.create(tags="a,b"))["stack"]["tags"] == ["a", "b"]

    def test_unknown_keys(self, door: Door) -> None:
        assert post(door, colour="blue").status_code == 201

    def test_the_answer_comes_when_the_stack_is_there(self, door: Door) -> None:
        path = door.create()

        stack = door.get(path)["stack"]
        assert stack["stack_status"] == "CREATE_IN_PROGRESS"
        assert stack["stack_status_reason"] == "Stack CREATE started"
        assert len(door.get(f"{path}/events")["events"]) == 1

    def test_content_that_only_looks_like_json(self, door: Door) -> None:
        body = json.dumps({"stack_name": "s", "template": SMALL})
        for kind in ("text/plain", ""):
            answer = door("POST", "/stacks", content=body, headers={"Content-Type": kind})
            assert answer.status_code in (201, 409)


class TestWhatIsRefused:
    @pytest.mark.parametrize(
        ("body", "kind"),
        [
            ({"stack_name": None}, "HTTPBadRequest"),
            ({"stack_name": 7}, "HTTPBadRequest"),
            ({"stack_name": "0abc"}, "StackValidationFailed"),
            ({"stack_name": "a b"}, "StackValidationFailed"),
            ({"stack_name": "a" * 256}, "StackValidationFailed"),
            ({"template": None}, "HTTPBadRequest"),
            ({"template": [1]}, "HTTPBadRequest"),
            ({"template": {}}, "InvalidTemplateVersion"),
            ({"template": {"heat_template_version": "2000-01-01"}}, "InvalidTemplateVersion"),
            ({"template": {**EMPTY, "resourcess": {}}}, "StackValidationFailed"),
            ({"template": BROKEN}, "StackValidationFailed"),
            ({"parameters": {"nobody": 1}}, "UnknownUserParameter"),
            ({"parameters": {"size": "many"}}, "StackValidationFailed"),
            ({"parameters": [1]}, "HTTPBadRequest"),
            ({"files": []}, "HTTPBadRequest"),
            ({"files": {"a": 1}}, "HTTPBadRequest"),
            ({"environment": {"parameterz": {}, "parameters": {}}}, "HTTPBadRequest"),
            ({"environment": {"parameters": None}}, "HTTPBadRequest"),
            ({"environment": "- a"}, "HTTPBadRequest"),
            ({"environment": "{"}, "HTTPBadRequest"),
            ({"environment": 5}, "HTTPBadRequest"),
            ({"environment_files": "a"}, "HTTPBadRequest"),
            ({"environment_files": ["a"]}, "StackValidationFailed"),
            ({"timeout_mins": -1}, "HTTPBadRequest"),
            ({"timeout_mins": "soon"}, "HTTPBadRequest"),
            ({"timeout_mins": True}, "HTTPBadRequest"),
            ({"timeout_mins": 10**30}, "HTTPBadRequest"),
            ({"disable_rollback": "perhaps"}, "ValueError"),
            ({"disable_rollback": 1}, "ValueError"),
            ({"tags": "x" * 81}, "HTTPBadRequest"),
            ({"tags": ["a"]}, "HTTPBadRequest"),
            ({"converge": True}, "HTTPBadRequest"),
            ({"adopt_stack_data": "{}"}, "NotSupported"),
            ({"template": None, "template_url": "file:///etc/passwd"}, "HTTPBadRequest"),
            ({"template": None, "template_url": "http://nowhere.test/t.yaml"}, "HTTPBadRequest"),
        ],
    )
    def test_what_is_wrong_with_a_request(self, door: Door, body: dict[str, Any], kind: str) -> None:
        assert error(post(door, **body), 400)["type"] == kind
        assert door.get("/stacks")["stacks"] == []

    def test_a_parameter_without_a_value(self, door: Door) -> None:
        template = {**EMPTY, "parameters": {"p": {"type": "string"}}}

        assert error(post(door, template=template), 400)["type"] == "UserParameterMissing"

    def test_a_name_in_use(self, door: Door) -> None:
        door.create("s")

        found = error(post(door), 409)
        assert found["type"] == "StackExists"
        assert "s" in found["message"]

    def test_the_body_shows_all_that_is_wrong_with_a_template(self, door: Door) -> None:
        text = yaml.safe_dump({**BROKEN, "parameters": {"p": {"type": "strin"}}})

        body = post(door, template=text).json()

        assert body["error"]["message"] == body["diagnostics"][0]["message"]
        found = {one["path"]: one for one in body["diagnostics"]}
        assert set(found) == {"parameters.p.type", "resources.a.properties"}
        assert found["resources.a.properties"]["hint"] == "did you mean `value`?"
        assert found["resources.a.properties"]["line"] is not None

    def test_diagnostics_stand_beside_the_error_in_heats_form(self, door: Door) -> None:
        body = post(door, template=BROKEN).json()

        assert body.pop("diagnostics")
        assert set(body) == {"code", "title", "explanation", "error"}
        assert set(body["error"]) == {"type", "message", "traceback"}

    def test_diagnostics_name_the_document_and_the_path_in_it(self, door: Door) -> None:
        child = {**EMPTY, "resources": {"v": {"type": "OS::Heat::Value", "properties": {"valu": 1}}}}
        member = {"type": "OS::Heat::Value", "properties": {"valu": 1}}
        group = {"type": "OS::Heat::ResourceGroup", "properties": {"count": 2, "resource_def": member}}
        template = {
            **EMPTY,
            "parameters": {"n": {"type": "number"}},
            "resources": {"c": {"type": "c.yaml"}, "g": group},
        }
        files = {"c.yaml": json.dumps(child), "e.yaml": "parameters: {n: many}"}

        body = post(door, template=template, files=files, environment_files=["e.yaml"]).json()

        assert [(one["code"], one["document"], one["at"]) for one in body["diagnostics"]] == [
            ("E209", "e.yaml", ["parameters", "n"]),
            ("E410", "c.yaml", ["resources", "v", "properties", "valu"]),
            ("E410", "template", ["resources", "g", "properties", "resource_def", "properties", "valu"]),
        ]
        assert body["diagnostics"][0]["declared"] == {"document": "template", "at": ["parameters", "n"]}


class TestBodies:
    @pytest.mark.parametrize(
        ("content", "kind"),
        [
            (b"", "application/json"),
            (b"[]", "application/json"),
            (b'"text"', "application/json"),
            (b" {}", "application/json"),
            (b'{"stack_name": "s"}', "application/xml"),
            (b'{"stack_name": ', "application/json"),
            (b'{"stack_name": NaN}', "application/json"),
            (b'{"stack_name": 1e999}', "application/json"),
            (b'{"a": ' + b"9" * 5000 + b"}", "application/json"),
            (b'{"a":' * 100_000, "application/json"),
            (b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "application/json"),
            (b'{"stack_name": "\xff"}', "application/json"),
            (b'{"stack_name": "a\\u0000"}', "application/json"),
            (b'{"\\ud800": 1}', "application/json"),
        ],
    )
    def test_what_is_not_an_object_in_json(self, door: Door, content: bytes, kind: str) -> None:
        answer = door("POST", "/stacks", content=content, headers={"Content-Type": kind})

        assert error(answer, 400)["type"] == "HTTPBadRequest"

    def test_too_large_a_body(self, door: Door) -> None:
        found = error(post(door, parameters={"secret": "x" * 1_048_576}), 400)

        assert found["type"] == "RequestLimitExceeded"

    def test_how_large_can_be_set(self, stage: Stage) -> None:
        door = open_door(stage, largest_body=100)

        assert error(post(door), 400)["type"] == "RequestLimitExceeded"
