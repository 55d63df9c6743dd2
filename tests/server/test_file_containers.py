"""Stacks whose files are kept in a container of the object store."""

from __future__ import annotations

from typing import Any

import pytest

from tests.server.orchestrator import Orchestrator

VERSION = "heat_template_version: 2018-08-31\n"
INNER = VERSION + "parameters: {word: {type: string}}\noutputs: {said: {value: {get_param: word}}}\n"
ENVIRONMENT = "resource_registry: {My::Inner: parts/inner.yaml}\nparameters: {word: from the container}\n"
TEMPLATE: dict[str, Any] = {
    "heat_template_version": "2018-08-31",
    "parameters": {"word": {"type": "string"}},
    "resources": {"inner": {"type": "My::Inner", "properties": {"word": {"get_param": "word"}}}},
    "outputs": {
        "said": {"value": {"get_attr": ["inner", "said"]}},
        "text": {"value": {"get_file": "text"}},
    },
}
REQUEST: dict[str, Any] = {
    "stack_name": "kept",
    "template": TEMPLATE,
    "files_container": "files",
    "environment_files": ["env.yaml"],
}


@pytest.fixture(autouse=True)
def filled(demo: Orchestrator) -> None:
    """A container of files, as each test expects it."""
    fill(demo, "files", {"parts/inner.yaml": INNER, "env.yaml": ENVIRONMENT, "text": "a text"})


def fill(user: Orchestrator, container: str, files: dict[str, str | bytes]) -> None:
    assert user.ask("object-store", "PUT", f"/{container}").is_success
    for name, content in files.items():
        assert user.ask("object-store", "PUT", f"/{container}/{name}", content=content).is_success


def create(user: Orchestrator, **more: Any) -> str:
    answer = user.api.post("/stacks", json={**REQUEST, **more})
    assert answer.status_code == 201, answer.text
    path = f"/stacks/kept/{answer.json()['stack']['id']}"
    user.wait(path, "CREATE_COMPLETE")
    return path


def test_templates_environments_and_texts_come_from_the_container(demo: Orchestrator) -> None:
    path = create(demo)

    assert demo.outputs(path) == {"said": "from the container", "text": "a text"}
    demo.delete(path)


def test_a_file_of_the_request_counts_more_than_one_of_the_container(demo: Orchestrator) -> None:
    path = create(demo, files={"text": "another"})

    assert demo.outputs(path)["text"] == "another"
    demo.delete(path)


def test_an_update_takes_what_is_in_the_container_by_then(demo: Orchestrator) -> None:
    path = create(demo)
    fill(demo, "files", {"text": "a newer text"})

    answer = demo.api.patch(path, json={"files_container": "files"})

    assert answer.status_code == 202, answer.text
    demo.wait(path, "UPDATE_COMPLETE")
    assert demo.outputs(path)["text"] == "a newer text"
    demo.delete(path)


def test_a_template_is_validated_with_what_is_in_the_container(demo: Orchestrator) -> None:
    body = {name: value for name, value in REQUEST.items() if name != "stack_name"}

    answer = demo.api.post("/validate?show_nested=true", json=body)

    assert answer.status_code == 200, answer.text
    assert answer.json()["NestedParameters"]["inner"]["Parameters"]["word"]["Type"] == "String"


@pytest.mark.parametrize(
    ("container", "files", "reported"),
    [
        ("missing", None, "The container missing could not be found"),
        ("odd", {"picture": b"\xff\xfe"}, "The object picture of the container odd is not text."),
    ],
)
def test_what_is_wrong_with_a_container_is_reported(
    demo: Orchestrator, container: str, files: dict[str, str | bytes] | None, reported: str
) -> None:
    if files is not None:
        fill(demo, container, files)

    answer = demo.api.post("/stacks", json={**REQUEST, "files_container": container})

    assert answer.status_code == 400
    assert reported in answer.json()["error"]["message"]
