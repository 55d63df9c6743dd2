"""The API's own description: it tells all routes, and what they answer is what it says."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from calor.api.openapi.document import FAMILIES, described_routes, document, key
from tests.support.api import PROJECT, Door, Stage, open_door, token

DOCUMENT = document("http://heat.test:8004")
OPERATIONS = {
    operation["operationId"]: (method, path, operation)
    for path, item in DOCUMENT["paths"].items()
    for method, operation in item.items()
    if method != "parameters"
}
TEMPLATE: dict[str, Any] = {
    "heat_template_version": "2021-04-16",
    "description": "All sorts of things",
    "parameter_groups": [{"label": "all", "parameters": ["size", "secret"]}],
    "parameters": {
        "size": {"type": "number", "default": 2, "constraints": [{"range": {"min": 1, "max": 9}}]},
        "secret": {"type": "string", "default": "s3cret", "hidden": True},
        "unset": {"type": "string", "default": ""},
    },
    "resources": {
        "signalled": {"type": "OS::Heat::WaitConditionHandle"},
        "value": {"type": "OS::Heat::Value", "properties": {"value": {"get_param": "size"}}},
        "text": {"type": "OS::Heat::TestResource", "properties": {"value": {"get_attr": ["value", "value"]}}},
        "group": {
            "type": "OS::Heat::ResourceGroup",
            "properties": {
                "count": {"get_param": "size"},
                "resource_def": {"type": "OS::Heat::TestResource", "properties": {"value": "%index%"}},
            },
        },
    },
    "outputs": {
        "value": {"value": {"get_attr": ["value", "value"]}},
        "wrong": {"value": {"get_attr": ["group", "attributes", "no_such_attribute"]}},
    },
}


def closed(schema: Any) -> Any:
    """A schema that allows nothing that it does not name."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    made = {name: closed(value) for name, value in schema.items()}
    return (
        {"additionalProperties": False, **made}
        if "properties" in made and made.get("type") == "object"
        else made
    )


COMPONENTS = closed(DOCUMENT["components"])


def check(value: Any, schema: Any) -> None:
    Draft202012Validator({**closed(schema), "components": COMPONENTS}).validate(value)


class Reader:
    """Asks by the ids of operations, and holds every answer against the document."""

    def __init__(self, door: Door) -> None:
        self._door = door
        self.answered: set[str] = set()

    def __call__(self, operation: str, body: Any = None, *, status: int = 200, **given: Any) -> Any:
        method, path, described = OPERATIONS[operation]
        names = {"project_id": PROJECT, **given}
        url = re.sub(r"\{(\w+)\}", lambda found: names[found[1]], path)
        query = {name: value for name, value in given.items() if f"{{{name}}}" not in path}
        sent = {} if body is None else {"json": body}
        headers = {"X-Auth-Token": self._door.token}
        answer = self._door.client.request(method.upper(), url, params=query, headers=headers, **sent)
        assert answer.status_code == status, answer.text
        self._check(answer, described["responses"][str(status)])
        if status < 400:
            self.answered.add(operation)
        return answer.json() if "application/json" in answer.headers.get("content-type", "") else answer.text

    def _check(self, answer: Any, described: Any) -> None:
        if "$ref" in described:
            described = DOCUMENT["components"]["responses"][described["$ref"].rpartition("/")[2]]
        for header in described["headers"]:
            assert header in answer.headers
        content = described.get("content")
        if content is None:
            assert answer.content == b""
            return
        ((media_type, form),) = content.items()
        assert answer.headers["content-type"].partition(";")[0] == media_type
        check(answer.json() if media_type == "application/json" else answer.text, form["schema"])


def test_every_route_is_described_and_nothing_else() -> None:
    described = [operation for family in FAMILIES for operation in family.operations]

    assert sorted(described) == sorted(key(route) for route in described_routes())


def test_it_needs_no_token_and_names_the_address_of_the_client(door: Door) -> None:
    answer = door.client.get("/openapi.json")

    assert answer.json() == DOCUMENT


def test_references_lead_somewhere() -> None:
    def references(part: Any) -> set[str]:
        if isinstance(part, dict):
            own = {part["$ref"]} if isinstance(part.get("$ref"), str) else set()
            return own.union(*map(references, part.values()))
        return set().union(*map(references, part)) if isinstance(part, list) else set()

    for reference in references(DOCUMENT):
        _, _, kind, name = reference.split("/")
        assert name in DOCUMENT["components"][kind]


@pytest.mark.parametrize("operation", OPERATIONS)
def test_examples_are_of_the_shape_that_is_described(operation: str) -> None:
    described = OPERATIONS[operation][2]
    if "requestBody" in described:
        form = described["requestBody"]["content"]["application/json"]
        check(form["example"], form["schema"])


def test_links_name_operations_and_their_parameters() -> None:
    for _, _, described in OPERATIONS.values():
        for answer in described["responses"].values():
            for link in answer.get("links", {}).values():
                path = OPERATIONS[link["operationId"]][1]
                assert set(link["parameters"]) == set(re.findall(r"\{(\w+)\}", path))


def test_answers_about_real_stacks_are_as_described(running: Stage) -> None:
    door = open_door(running, enable_abandon=True, enable_adopt=True)
    ask = Reader(door)

    ask("list_versions", status=300)
    ask("check_health")
    ask("describe_api")
    _about_stacks(ask, door)
    _about_types(ask)
    _about_software(ask)
    ask("show_build")
    admin = Reader(door.by(token("root", PROJECT, "admin,member,reader")))
    admin("list_stacks", show_deleted="true", show_nested="true")
    admin("list_services")

    assert set(OPERATIONS) - ask.answered - admin.answered == set()


def _about_stacks(ask: Reader, door: Door) -> None:
    body = {"stack_name": "s", "template": TEMPLATE, "tags": "a,b", "files": {"f": "text"}}
    ask("preview_stack", body)
    ask("validate_template", {"template": TEMPLATE, "parameters": {"size": 3}}, show_nested="true")
    id = ask("create_stack", body, status=201)["stack"]["id"]
    names = {"stack_name": "s", "stack_id": id}
    path = f"/stacks/s/{id}"
    ask("show_stack", **names)
    door.settled(path)
    ask("create_stack", body, status=409)
    ask("create_stack", {"stack_name": "t", "template": {"heat_template_version": "x"}}, status=400)
    ask("show_stack", stack_name="s", stack_id="none", status=404)

    ask("list_stacks", limit=1, with_count="true")
    ask("list_stacks_in_detail")
    ask("show_stack", **names)
    ask("show_template", **names)
    ask("show_environment", **names)
    ask("show_files", **names)
    ask("list_outputs", **names)
    for output in TEMPLATE["outputs"]:
        ask("show_output", **names, output_key=output)
    for operation in OPERATIONS:
        if operation.startswith("find"):
            ask(operation, stack_name="s", status=302)
    _about_resources(ask, names)
    _about_changes(ask, door, names)

    left = ask("export_stack", **names)
    assert left["resources"]["group"]["resources"]
    ask("abandon_stack", **names)
    door.settled(path)
    ask("show_stack", **names)
    adopted = ask("create_stack", {"stack_name": "s", "adopt_stack_data": json.dumps(left)}, status=201)
    names = {"stack_name": "s", "stack_id": adopted["stack"]["id"]}
    door.settled(f"/stacks/s/{adopted['stack']['id']}")
    ask("delete_stack", **names, status=204)


def _about_resources(ask: Reader, names: dict[str, str]) -> None:
    ask("list_resources", **names, nested_depth=2, with_detail="true")
    ask("list_resources", **names, nonsense="x", status=400)
    text = {**names, "resource_name": "text"}
    ask("show_resource", **text, with_attr="output")
    ask("show_metadata", **text)
    ask("list_events", **names, nested_depth=2)
    event = ask("list_events_of_resource", **text)["events"][0]
    ask("show_event", **text, event_id=event["id"])
    assert ask("stream_events", **names, until="complete").endswith("\n\n")
    ask("signal_resource", {}, **names, resource_name="signalled")
    ask("signal_resource", {}, **names, resource_name="value", status=400)
    ask("mark_resource", {"mark_unhealthy": True, "resource_status_reason": "ill"}, **text)


def _about_changes(ask: Reader, door: Door, names: dict[str, str]) -> None:
    path = f"/stacks/{names['stack_name']}/{names['stack_id']}"
    ask("act_on_stack", {"check": None}, **names)
    door.settled(path)
    ask("signal_resource", {"unset_hook": "pre-update"}, **names, resource_name="text", status=400)
    changed = {**TEMPLATE, "resources": {**TEMPLATE["resources"]}}
    changed["resources"].pop("text")
    changed["resources"]["more"] = {"type": "OS::Heat::TestResource"}
    ask("preview_update", {"template": changed, "parameters": {"size": 4}}, **names, show_nested="true")
    ask("preview_patch", {"parameters": {"size": 1, "secret": "other"}}, **names)
    snapshot = ask("create_snapshot", {"name": "first"}, **names)["id"]
    door.settled(path)
    ask("list_snapshots", **names)
    ask("show_snapshot", **names, snapshot_id=snapshot)
    ask("update_stack", {"template": changed}, **names, status=202)
    door.settled(path)
    ask("patch_stack", {"parameters": {"size": 3}}, **names, status=202)
    door.settled(path)
    ask("restore_snapshot", **names, snapshot_id=snapshot, status=202)
    door.settled(path)
    ask("delete_snapshot", **names, snapshot_id=snapshot, status=204)


def _about_types(ask: Reader) -> None:
    for name in ask("list_resource_types")["resource_types"]:
        ask("show_resource_type", type_name=name, with_description="true")
        ask("show_template_of_type", type_name=name, template_type="hot")
    ask("list_resource_types", with_description="true")
    ask("list_resource_types", support_status="no", status=400)
    for version in ask("list_template_versions")["template_versions"]:
        ask("list_template_functions", version=version["version"], with_condition_func="true")


def _about_software(ask: Reader) -> None:
    given = {"name": "c", "group": "script", "inputs": [{"name": "i"}], "outputs": [{"name": "o"}]}
    config = ask("create_software_config", given)["software_config"]["id"]
    ask("list_software_configs")
    ask("show_software_config", config_id=config)
    made = ask("create_software_deployment", {"config_id": config, "server_id": "server"})
    deployment = made["software_deployment"]["id"]
    ask("update_software_deployment", {"status": "COMPLETE"}, deployment_id=deployment)
    ask("list_software_deployments", server_id="server")
    ask("show_software_deployment", deployment_id=deployment)
    ask("show_server_metadata", server_id="server")
    ask("delete_software_deployment", deployment_id=deployment, status=204)
    ask("delete_software_config", config_id=config, status=204)
