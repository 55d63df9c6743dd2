"""`heat stack-create …`: the old client's commands, as people and their scripts have them in their fingers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from calor.cli import legacy
from tests.cli.invocation import Run, eventually


def table(text: str) -> list[dict[str, str]]:
    """The rows of a table of plus, minus and bars."""
    cut = [
        [cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("|")
    ]
    return [dict(zip(cut[0], row, strict=True)) for row in cut[1:]]


def test_there_are_as_many_as_there_were() -> None:
    assert len(legacy.NAMES) == len(legacy.COMMANDS) == 49


def test_a_stack_is_created_with_all_that_was_typed(heat: Run, templates: Path) -> None:
    (templates / "env.yaml").write_text("parameters: {word: from the environment}\n")

    words = ("-f", "outer.yaml", "-e", "env.yaml", "-P", "secs=0;word=a b", "-r", "-t", "30", "--tags", "x,y")
    ran = heat("stack-create", *words, "--poll", "1", "old")

    assert ran.code == 0
    row = table(ran.out)[-1]
    assert (row["stack_name"], row["stack_status"]) == ("old", "CREATE_COMPLETE")
    shown = {row["Property"]: row["Value"] for row in table(heat("stack-show", "old").out)}
    assert shown["disable_rollback"] == "false"
    assert shown["timeout_mins"] == "30"
    assert heat("output-show", "old", "said").out == "a b\n"


def test_nothing_is_waited_for_unless_asked(heat: Run) -> None:
    ran = heat("stack-create", "-f", "outer.yaml", "-P", "secs=3600", "longer")

    assert table(ran.out)[0]["stack_status"] == "CREATE_IN_PROGRESS"
    assert heat("stack-delete", "longer").out == "Request to delete stack longer has been accepted.\n"


def test_a_breakpoint_holds(heat: Run) -> None:
    heat("stack-create", "-f", "outer.yaml", "--pre-create", "second", "paused")

    assert eventually(lambda: table(heat("hook-poll", "paused").out))
    assert table(heat("hook-poll", "paused").out)[0]["resource_name"] == "second"
    assert heat("hook-clear", "paused", "--pre-create", "second").code == 0
    heat("stack-delete", "paused")


def test_the_pipeline_that_deletes_by_name(shell: Run, heat: Run) -> None:
    for name in ("stack-01", "stack-02", "other"):
        heat("stack-create", "-f", "inner.yaml", name)

    ran = shell("""heat stack-list | grep stack- | awk '{system("heat stack-delete " $2)}'""")

    assert ran.code == 0
    assert "Request to delete stack stack-01 has been accepted." in ran.out
    assert eventually(lambda: "stack-0" not in heat("stack-list").out)
    assert "other" in {row["stack_name"] for row in table(heat("stack-list").out)}
    heat("stack-delete", "other")


def test_the_pipeline_as_it_was_written_down_without_a_space(shell: Run, heat: Run) -> None:
    heat("stack-create", "-f", "inner.yaml", "stack-03")

    ran = shell("""heat stack-list | grep stack- | awk '{system("heat stack-delete" $2)}'""")

    assert "Request to delete stack stack-03 has been accepted." in ran.out


def test_the_present_command_knows_the_old_words_and_the_other_way_round(
    calor: Run, heat: Run, stack: str
) -> None:
    assert stack in calor("stack-list").out
    assert stack in heat("stack", "list").out


def test_global_options_stand_before_the_command(heat: Run, stack: str) -> None:
    assert stack in heat("--os-cloud", "calor", "--verbose", "stack-list").out


def test_help_is_a_command(heat: Run) -> None:
    assert "--template-file" in heat("help", "stack-create").out
    assert "stack-create" in heat("help").out


def test_lists_are_sorted_and_filtered(heat: Run, stack: str) -> None:
    ran = heat(
        "stack-list", "-f", f"stack_name={stack}", "-k", "stack_name;creation_time", "-d", "asc", "-l", "5"
    )
    assert [row["stack_name"] for row in table(ran.out)] == [stack]
    owned = heat("stack-list", "-o", "-n", "-s")
    assert {"stack_owner", "parent", "deletion_time"} <= table(owned.out)[0].keys()


def test_what_is_looked_at(heat: Run, stack: str) -> None:
    assert {row["resource_name"] for row in table(heat("resource-list", stack, "-n", "2").out)} >= {
        "first",
        "deep",
    }
    events = table(heat("event-list", stack, "-r", "first").out)
    assert {row["resource_name"] for row in events} == {"first"}
    assert heat("event", stack, "first", events[0]["id"]).code == 0
    assert heat("event-list", stack, "-F", "log").lines[0].endswith("Stack CREATE started")
    assert table(heat("output-list", stack).out) == [{"output_key": "said", "description": "what was said"}]
    assert json.loads(heat("output-show", stack, "--all").out)[0]["output_value"] == "hello"
    assert "first" in yaml.safe_load(heat("template-show", stack).out)["resources"]
    assert json.loads(heat("template-validate", "-f", "outer.yaml").out)["Parameters"]
    assert heat("resource-metadata", stack, "first").out == "{}\n"
    assert "HeatTemplateFormatVersion" in heat("resource-template", "OS::Heat::TestResource").out
    assert json.loads(heat("resource-type-show", "OS::Heat::TestResource").out)["properties"]
    assert table(heat("stack-preview", "-f", "outer.yaml", "new").out)[0]["state"] == "added"


def test_an_update_and_its_dry_run(heat: Run, stack: str) -> None:
    dry = table(heat("stack-update", "-f", "outer.yaml", "-P", "word=x", "-y", stack).out)
    assert {row["resource_name"]: row["state"] for row in dry}["first"] == "updated"

    ran = heat("stack-update", "-x", "-P", "word=x", "--rollback", "true", stack)

    assert ran.code == 0
    assert table(ran.out)[0]["stack_status"].startswith("UPDATE_")


def test_what_cannot_be_done_ends_with_one_line(heat: Run) -> None:
    ran = heat("stack-show", "nothing")

    assert (ran.code, ran.out) == (1, "")
    assert ran.complaints == ["calor heat: there is no stack nothing (`calor stack list` lists them)"]


@pytest.mark.parametrize("value", ["x;y", "http://a/?b;c"])
def test_a_value_with_a_semicolon_is_left_whole(heat: Run, value: str) -> None:
    heat("stack-create", "-f", "outer.yaml", "-P", f"word={value}", "--poll", "1", "semicolon")

    assert heat("output-show", "semicolon", "said").out == f"{value}\n"
    heat("stack-delete", "semicolon")
    assert eventually(lambda: "semicolon" not in heat("stack-list").out)
