"""What users write cannot look like a line of the log, nor hold up the process that logs it."""

from __future__ import annotations

import logging
import signal
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from calor.observe import fields, logs
from calor.observe.escaping import EscapedLines
from calor.observe.masking import masked
from tests.support.api import Door

FORGED = "2026-01-01 00:00:00,000 INFO calor.api: DELETE of stack prod is COMPLETE"
BREAKS = ["\n", "\r", "\r\n", "\x0b", "\x0c", "\x85", "\u2028", "\u2029"]


def record(message: str, *args: object) -> logging.LogRecord:
    return logging.getLogger("calor.test").makeRecord(
        "calor.test", logging.INFO, __file__, 1, message, args, None
    )


@pytest.fixture(params=[logs.TextLines, logs.JsonLines, lambda: EscapedLines("%(message)s")])
def formatter(request: pytest.FixtureRequest) -> logging.Formatter:
    made: logging.Formatter = request.param()
    return made


class TestLines:
    @pytest.mark.parametrize("line_break", BREAKS)
    def test_a_line_break_in_a_message_is_escaped(
        self, formatter: logging.Formatter, line_break: str
    ) -> None:
        reported = formatter.format(record("stack %s", f"web{line_break}{FORGED}"))
        assert len(reported.split("\n")) == 1
        assert "\r" not in reported

    def test_a_line_break_in_a_field_is_escaped(self) -> None:
        with fields.scope(stack=f"web\n{FORGED}", user="eve user=admin] x=["):
            reported = logs.TextLines().format(record("it is done"))
        assert "\n" not in reported
        assert reported.endswith(rf"[stack='web\n{FORGED}' user='eve user=admin] x=[']")

    def test_a_line_break_in_an_exception_makes_no_line(self, formatter: logging.Formatter) -> None:
        made = record("it broke")
        try:
            raise ValueError(f"no stack web\n{FORGED}\r{FORGED}")
        except ValueError:
            made.exc_info = sys.exc_info()
        reported = formatter.format(made)
        assert [line for line in reported.splitlines() if line.startswith(FORGED[:10])] == []

    def test_nothing_is_written_to_a_terminal(self) -> None:
        assert "\x1b" not in logs.TextLines().format(record("stack %s", "\x1b[2J"))

    def test_a_stack_name_cannot_make_one(self, door: Door, caplog: pytest.LogCaptureFixture) -> None:
        caplog.handler.setFormatter(logs.TextLines())
        with caplog.at_level(logging.INFO):
            door("GET", f"/stacks/web%0a{FORGED}/x")
        assert "web" in caplog.text
        assert [line for line in caplog.text.splitlines() if line.startswith(FORGED[:10])] == []


@pytest.fixture
def ends() -> Iterator[None]:
    def stop(*_: Any) -> None:
        raise TimeoutError("this would take for ever")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("ends")
@pytest.mark.parametrize(
    "text",
    [
        "secret" * 20_000,
        "secret" + " " * 100_000,
        "secret=" * 20_000,
        'secret="' * 20_000,
        "secret='\\" * 20_000,
        "a" * 200_000,
        "://a:" * 50_000,
        "gAAAAA-" * 20_000,
    ],
)
def test_masking_takes_time_in_proportion_to_the_text(text: str) -> None:
    masked(text)
