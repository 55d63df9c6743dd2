"""Why a stack failed, and what it looks like."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from calor.cli.api.client import StackRef
from calor.cli.stack.failures import Failure, failures
from calor.cli.stack.graph import drawing
from tests.cli.invocation import Run

ROOT = StackRef("web", "1")
FAILING = """heat_template_version: 2018-08-31
resources:
  a: {type: OS::Heat::TestResource, properties: {value: x, fail: true}}
"""


def resource(name: str, status: str, stack: str = "web/1", nested: str = "", **more: Any) -> dict[str, Any]:
    links = [{"rel": "stack", "href": f"http://x/v1/p/stacks/{stack}"}]
    if nested:
        links.append({"rel": "nested", "href": f"http://x/v1/p/stacks/{nested}"})
    return {"resource_name": name, "resource_type": "T", "resource_status": status, "links": links, **more}


class TestFailures:
    def test_name_the_root_cause_with_file_and_line(self, calor: Run) -> None:
        calor("stack", "create", "-t", "broken.yaml", "why")

        ran = calor("stack", "failures", "why")

        assert ran.lines == [
            "below/deep  OS::Heat::TestResource  CREATE_FAILED",
            "  at       inner.yaml:5",
            "  reason   Test Resource failed deep",
        ]
        as_data = json.loads(calor("stack", "failures", "list", "why", "-f", "json").out)
        assert as_data[0]["place"] == "inner.yaml:5"

    def test_a_template_that_has_changed_since_is_not_pointed_into(self, calor: Run, templates: Path) -> None:
        calor("stack", "create", "-t", "broken.yaml", "changed")
        (templates / "broken.yaml").write_text("# moved\n" + (templates / "broken.yaml").read_text())
        assert "inner.yaml:5" in calor("stack", "failures", "changed").out

        (templates / "broken.yaml").write_text("heat_template_version: 2018-08-31\n")
        assert "inner.yaml" not in calor("stack", "failures", "changed").out

    def test_after_a_rollback_the_reason_for_it_is_reported(self, calor: Run, templates: Path) -> None:
        fine = (templates / "broken.yaml").read_text().replace("true", "false")
        (templates / "fine.yaml").write_text(fine)
        calor("stack", "create", "-t", "fine.yaml", "back")
        assert calor("stack", "update", "-y", "--rollback", "enabled", "-t", "broken.yaml", "back").code == 1

        ran = calor("stack", "failures", "back")

        assert ran.lines[0] == "below/deep  OS::Heat::TestResource  UPDATE_FAILED"
        assert ran.lines[-1] == "  reason   Test Resource failed deep"

    def test_so_it_is_when_the_rollback_left_nothing(self, calor: Run) -> None:
        calor("stack", "create", "--enable-rollback", "-t", "broken.yaml", "undone")

        ran = calor("stack", "failures", "undone")

        assert ran.lines[0].startswith("below")
        assert ran.lines[-1] == "  reason   Test Resource failed deep"

    def test_what_failed_in_an_earlier_action_is_not_reported(self, calor: Run) -> None:
        calor("stack", "create", "-t", "broken.yaml", "mended")
        calor("stack", "update", "-y", "-t", "outer.yaml", "mended")

        assert "no resource has failed" in calor("stack", "failures", "mended").out

    def test_what_cannot_be_suspended_is_reported_before_what_failed_earlier(
        self, calor: Run, templates: Path
    ) -> None:
        (templates / "failing.yaml").write_text(FAILING)
        calor("stack", "create", "-t", "failing.yaml", "unfit")

        for action in ("suspend", "resume"):
            calor("stack", action, "unfit")
            assert calor("stack", "failures", "unfit").lines == [
                f"a  OS::Heat::TestResource  {action.upper()}_FAILED",
                "  at       failing.yaml:3",
                f"  reason   State CREATE_FAILED is invalid for {action}",
                "a  OS::Heat::TestResource  CREATE_FAILED",
                "  at       failing.yaml:3",
                "  reason   Test Resource failed a",
            ]

    def test_what_must_not_be_changed_is_reported_although_it_has_not_failed(
        self, calor: Run, templates: Path
    ) -> None:
        restricted = {"resource_registry": {"resources": {"a": {"restricted_actions": "update"}}}}
        (templates / "restricted.json").write_text(json.dumps(restricted))
        (templates / "fine.yaml").write_text(FAILING.replace("true", "false"))
        (templates / "other.yaml").write_text(FAILING.replace("true", "false").replace("x", "y"))
        calor("stack", "create", "-t", "fine.yaml", "kept")
        calor("stack", "update", "-y", "-t", "other.yaml", "-e", "restricted.json", "kept")

        assert calor("stack", "failures", "kept").lines == [
            "a  OS::Heat::TestResource  UPDATE_FAILED",
            "  at       other.yaml:3",
            "  reason   update is restricted for resource.",
        ]

    def test_a_stack_without_any_is_reported_as_such(self, calor: Run, stack: str) -> None:
        assert (
            calor("stack", "failures", stack).out == f"{stack} is CREATE_COMPLETE; no resource has failed.\n"
        )

    def test_what_others_brought_down_comes_last(self) -> None:
        found = failures(
            [
                resource(
                    "aborted",
                    "CREATE_FAILED",
                    resource_status_reason="CREATE aborted (user triggered cancel)",
                ),
                resource(
                    "group", "CREATE_FAILED", nested="web-group-a/2", resource_status_reason="of one below"
                ),
                resource("0", "CREATE_FAILED", "web-group-a/2", resource_status_reason="quota"),
                resource("1", "CREATE_COMPLETE", "web-group-a/2"),
            ],
            ROOT,
        )

        assert [(one.path, one.reason) for one in found] == [
            (("group", "0"), "quota"),
            (("aborted",), "CREATE aborted (user triggered cancel)"),
        ]

    def test_the_clouds_words_and_request_id_are_taken_out(self) -> None:
        request = "req-0f8c0ed9-62a7-4281-9d85-51bdc6fa51f2"
        words = f"Quota exceeded for cores (HTTP 403) (Request-ID: {request})"

        failure = Failure(
            ("web",), "T", "CREATE_FAILED", f"Forbidden: resources.group.resources.web: {words}"
        )

        assert failure.request_id == request
        assert failure.message == words

    def test_the_property_with_the_error_is_named(self) -> None:
        reason = "StackValidationFailed: resources.g.resources.s.properties.size: 5 is out of range"

        assert (
            Failure(("g", "s"), "T", "CREATE_FAILED", reason).message == "properties.size: 5 is out of range"
        )


class TestGraph:
    def test_is_drawn_with_states(self, calor: Run, stack: str) -> None:
        lines = calor("stack", "graph", stack, "--nested").lines

        assert lines[0].split() == ["first", "OS::Heat::TestResource", "✔", "CREATE_COMPLETE"]
        assert lines[1].startswith("└─ second")
        assert any("┊ deep" in line for line in lines)

    def test_is_a_picture_for_browsers(self, calor: Run, stack: str, templates: Path) -> None:
        assert calor("stack", "graph", stack, "--format", "svg", "-o", "stack.svg").out == ""

        picture = ElementTree.fromstring((templates / "stack.svg").read_text())
        circles = [one for one in picture.iter() if one.tag.endswith("circle")]
        assert [one.get("fill") for one in circles] == ["#16a34a"] * 3

    def test_is_there_for_graphviz(self, calor: Run, stack: str) -> None:
        shown = calor("stack", "graph", stack, "--format", "dot").out

        assert (
            '"first" [label="first\\nOS::Heat::TestResource\\nCREATE_COMPLETE", fillcolor="#dcfce7"]' in shown
        )
        assert '"second" -> "first"' in shown

    def test_edges_lead_to_what_is_needed_within_a_stack(self) -> None:
        found = drawing(
            [
                resource("a", "CREATE_COMPLETE", required_by=["b", "elsewhere"]),
                resource("b", "CREATE_FAILED", nested="web-b-x/2", required_by=[]),
                resource("c", "INIT_COMPLETE", "web-b-x/2"),
            ],
            ROOT,
        )

        assert found.edges == (("b", "a"),)
        assert [(node.id, node.state) for node in found.walk()] == [
            ("a", "CREATE_COMPLETE"),
            ("b", "CREATE_FAILED"),
            ("b/c", "INIT_COMPLETE"),
        ]
