"""Remote stacks are created where their context says, or not at all."""

from __future__ import annotations

from typing import Any

from tests.support.api import Door, error


def _template(context: dict[str, Any]) -> dict[str, Any]:
    text = '{"heat_template_version": "2021-04-16"}'
    remote = {"type": "OS::Heat::Stack", "properties": {"context": context, "template": text}}
    return {"heat_template_version": "2021-04-16", "resources": {"away": remote}}


def test_a_stack_for_another_cloud_is_not_created_in_this_one(live: Door) -> None:
    template = _template({"credential_secret_id": "84667a3d-0bd3-4f5e-a0fc-1d1a5a0cb4a4"})
    answer = live("POST", "/stacks", {"stack_name": "here", "template": template})
    assert "credential_secret_id is not supported" in error(answer, 400)["message"]
