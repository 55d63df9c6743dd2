"""`calor deployment show --follow`."""

from __future__ import annotations

from typing import Any

import pytest

from calor.cli.software.following import continuation, follow, unprinted


@pytest.mark.parametrize(
    ("before", "after", "new"),
    [
        ("", "a\n", "a\n"),
        ("a\n", "a\nb\n", "b\n"),
        ("a\nb\n", "b\nc\n", "c\n"),
        ("a\n", "a\n", ""),
        ("a\n", "x\n", "x\n"),
    ],
)
def test_only_what_is_new_of_a_log_is_printed(before: str, after: str, new: str) -> None:
    assert continuation(before, after) == new


def test_following_prints_each_stage_once_and_the_log_as_it_grows() -> None:
    started = {"fetched_time": "t1", "started_time": "t2"}
    answers: list[dict[str, Any]] = [
        {"status": "IN_PROGRESS", "status_reason": "waiting for the server"},
        {"status": "IN_PROGRESS", "progress": {"fetched_time": "t1", "log": ""}},
        {"status": "IN_PROGRESS", "progress": {**started, "log": "one\n"}},
        {"status": "IN_PROGRESS", "progress": {**started, "log": "one\ntwo\n"}},
        {"status": "COMPLETE", "progress": {**started, "log": "one\ntwo\nthree\n"}},
    ]
    stages: list[str] = []
    log: list[str] = []

    last = follow(iter(answers).__next__, stages.append, log.append, sleep=lambda seconds: None)

    assert last["status"] == "COMPLETE"
    assert stages == ["waiting for the server", "fetched by the server at t1", "running since t2"]
    assert "".join(log) == "one\ntwo\nthree\n"


@pytest.mark.parametrize(
    ("printed", "stdout", "stderr", "rest"),
    [
        ("", "done\n", "", "done\n"),
        ("one\n", "one\ntwo\n", "", "two\n"),
        ("one\nbad\ntwo\n", "one\ntwo\nthree\n", "bad\nworse\n", "three\nworse\n"),
        (".\n.\n", ".\n.\n.\n", "", ".\n"),
    ],
)
def test_the_end_of_the_output_comes_from_the_result(
    printed: str, stdout: str, stderr: str, rest: str
) -> None:
    assert unprinted(printed, {"deploy_stdout": stdout, "deploy_stderr": stderr}) == rest


def test_outputs_that_are_not_text_are_not_part_of_the_log() -> None:
    assert unprinted("", {"deploy_stdout": None, "deploy_stderr": ["a"]}) == ""
