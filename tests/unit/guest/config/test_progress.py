"""While a hook runs, the stack sees how far it has come, if it asks for that."""

from __future__ import annotations

import threading
import time
from http import HTTPStatus
from typing import Any

import pytest

from calor.stacks.deployment_progress import LONGEST_LOG, REPORTS, is_progress, report_of
from calor_guest.common.http import RequestFailed, Response
from calor_guest.config import progress
from calor_guest.config.progress import Pace, reporting, watchers
from calor_guest.config.running import Tail
from calor_guest.config.transports import Transport
from tests.unit.guest.config.guest import Guest, script
from tests.unit.guest.config.stack import PATIENCE, Stack

_URL = {"name": "deploy_signal_id", "value": "http://stack/"}
_QUEUE = {"name": "deploy_queue_id", "value": "q1"}


class Recorder(Transport):
    def __init__(self, *failures: Exception) -> None:
        self.bodies: list[str] = []
        self.came = threading.Condition()
        self.answers = threading.Event()
        self.answers.set()
        self.answered = False
        self._failures = list(failures)

    def send(self, body: str) -> Response:
        with self.came:
            self.bodies.append(body)
            self.came.notify_all()
        self.answers.wait(PATIENCE)
        self.answered = True
        if self._failures:
            raise self._failures.pop(0)
        return Response(HTTPStatus.OK, {}, b"")

    def wait_for(self, count: int) -> None:
        with self.came:
            assert self.came.wait_for(lambda: len(self.bodies) >= count, PATIENCE)


def _until(path: str) -> str:
    return f"while [ ! -e {path} ]; do sleep 0.01; done"


def test_the_stack_sees_the_output_of_a_script_that_runs(guest: Guest, stack: Stack) -> None:
    go = guest.folder / "go"
    stack.on_progress = lambda report: go.touch() if "50 %" in report["log"] else None
    text = f"echo fetching; echo 50 % >&2; {_until(str(go))}; echo done"
    guest.give(script("a1", text, *stack.signal_inputs(), **{REPORTS: True}))

    assert guest.run().returncode == 0
    assert stack.progress[0]["id"] == "a1"
    assert sorted(stack.progress[-1]["log"].splitlines()) == ["50 %", "fetching"]
    assert is_progress(stack.received[0].body)
    assert report_of(stack.received[0].body).config == "a1"
    assert [one["deploy_stdout"] for one in stack.results] == ["fetching\ndone\n"]


def test_progress_takes_the_way_of_the_result(guest: Guest, stack: Stack) -> None:
    go = guest.folder / "go"
    stack.on_progress = lambda report: go.touch()
    guest.give(script("a1", _until(str(go)), *stack.account_inputs(), **{REPORTS: True}))
    assert guest.run().returncode == 0
    signals = [one for one in stack.received if one.path.endswith("/app%20deployment/signal")]
    assert [one.is_progress for one in signals] == [True, False]


def test_a_hook_of_the_user_shows_its_standard_error(guest: Guest, stack: Stack) -> None:
    go = guest.folder / "go"
    stack.on_progress = lambda report: go.touch()
    guest.write_program(guest.hooks / "mine", f"#!/bin/sh\necho step 1 >&2; {_until(str(go))}; echo '{{}}'\n")
    config = {"id": "a1", "group": "mine", "inputs": stack.signal_inputs(), REPORTS: True}
    guest.give(config)
    guest.run()
    assert stack.progress[0]["log"] == "step 1\n"


@pytest.mark.parametrize(
    ("more", "watching"),
    [
        ({REPORTS: True, "inputs": [_URL]}, 1),
        ({REPORTS: False, "inputs": [_URL]}, 0),
        ({"inputs": [_URL]}, 0),
        ({REPORTS: True, "inputs": [{"name": "deploy_signal_id", "value": "ftp://stack/"}]}, 0),
        ({REPORTS: True, "inputs": [_QUEUE]}, 0),
        ({REPORTS: True, "inputs": []}, 0),
    ],
)
def test_only_a_stack_that_asks_gets_reports(more: dict[str, Any], watching: int) -> None:
    assert len(watchers({"id": "a1", **more})) == watching


def test_a_stack_that_does_not_answer_delays_nothing(guest: Guest, stack: Stack) -> None:
    stack.holds_progress = threading.Event()
    go = guest.folder / "go"
    stack.on_progress = lambda report: go.touch()
    guest.give(script("a1", _until(str(go)), *stack.signal_inputs(), **{REPORTS: True}))
    try:
        assert guest.run().returncode == 0
    finally:
        stack.holds_progress.set()
    assert len(stack.results) == 1


def test_the_end_does_not_wait_for_a_report() -> None:
    recorder = Recorder()
    recorder.answers.clear()
    with reporting([recorder], "a1", Tail(), Pace(first=0.01)):
        recorder.wait_for(1)
    assert not recorder.answered
    recorder.answers.set()


def test_a_missing_hook_is_what_the_deployment_waits_for(guest: Guest, stack: Stack) -> None:
    guest.give({"id": "a1", "group": "mine", "inputs": stack.signal_inputs(), REPORTS: True})
    guest.run()
    (report,) = stack.progress
    assert report == {"id": "a1", "log": "There is no hook for the group mine."}
    assert stack.results == []


def test_without_news_there_are_heartbeats() -> None:
    recorder = Recorder()
    with reporting([recorder], "a1", Tail(), Pace(first=0.01, again=0.01, heartbeat=0.02)):
        recorder.wait_for(3)


def test_until_the_heartbeat_only_news_is_reported() -> None:
    recorder = Recorder()
    output = Tail()
    with reporting([recorder], "a1", output, Pace(first=0.01, again=0.01, heartbeat=1000)):
        recorder.wait_for(1)
        time.sleep(0.2)
        output.add(b"news")
        recorder.wait_for(2)
    assert len(recorder.bodies) == 2


def test_a_report_that_fails_is_repeated() -> None:
    recorder = Recorder(RequestFailed("no"), ValueError("odd"), KeyError("odd"))
    with reporting([recorder], "a1", Tail(), Pace(first=0.01, again=0.01, heartbeat=1000)):
        recorder.wait_for(4)


def test_the_format_is_that_of_the_server() -> None:
    assert progress.LONGEST_LOG == LONGEST_LOG
    output = Tail()
    output.add("ä".encode() * 10_000 + b"\n")
    assert output.text(LONGEST_LOG) == "ä" * (LONGEST_LOG - 1) + "\n"


def test_nobody_to_report_to_takes_no_thread() -> None:
    before = threading.active_count()
    nobody: list[Any] = []
    with reporting(nobody, "a1", Tail(), Pace()):
        assert threading.active_count() == before
