"""The format and the fields of log lines."""

from __future__ import annotations

import json
import logging
import sys
import threading
from collections.abc import Iterator
from contextvars import copy_context
from pathlib import Path

import pytest

from calor.observe import fields, logs


@pytest.fixture
def kept_handlers() -> Iterator[None]:
    """The root logger as it was, whatever a test does to it."""
    root, calor = logging.getLogger(), logging.getLogger("calor")
    handlers, levels = root.handlers[:], (root.level, calor.level)
    yield
    for handler in root.handlers:
        if handler not in handlers:
            handler.close()
    root.handlers[:] = handlers
    root.setLevel(levels[0])
    calor.setLevel(levels[1])


def _record(message: str, *args: object, **extra: object) -> logging.LogRecord:
    made = logging.getLogger("calor.test").makeRecord(
        "calor.test", logging.INFO, __file__, 1, message, args, None, extra=extra or None
    )
    made.created = 1_700_000_000.5
    return made


def _failed(problem: Exception) -> logging.LogRecord:
    record = _record("it broke")
    try:
        raise problem
    except Exception:
        record.exc_info = sys.exc_info()
    return record


class TestFields:
    def test_lines_carry_those_of_the_work_they_come_from(self) -> None:
        with fields.scope(request_id="req-1", project=None), fields.scope(stack="web"):
            reported = json.loads(logs.JsonLines().format(_record("hello")))

        assert (reported["request_id"], reported["stack"]) == ("req-1", "web")
        assert "project" not in reported

    def test_what_is_learnt_in_a_thread_is_known_outside(self) -> None:
        with fields.scope(request_id="req-1"):
            context = copy_context()
            thread = threading.Thread(target=lambda: context.run(fields.add, user="demo"))
            thread.start()
            thread.join()

            assert fields.current() == {"request_id": "req-1", "user": "demo"}
        assert fields.current() == {}

    def test_a_resource_counts_until_the_next_one_or_the_end_of_the_walk(self) -> None:
        with fields.scope(stack="web"):
            fields.set_resource("a")
            fields.set_resource("b")

            assert fields.current() == {"stack": "web", "resource": "b"}
        assert fields.current() == {}

    def test_a_walk_below_leaves_the_resource_of_the_one_above(self) -> None:
        with fields.scope(stack="above"):
            fields.set_resource("group")
            with fields.scope(stack="below"):
                fields.set_resource("member")

            assert fields.current() == {"stack": "above", "resource": "group"}


class TestForms:
    def test_json_is_an_object_on_one_line(self) -> None:
        line = logs.JsonLines().format(_record("two\nlines of %s", "text", fields={"status": 200}))

        assert "\n" not in line
        assert json.loads(line) == {
            "time": "2023-11-14T22:13:20.500+00:00",
            "level": "INFO",
            "logger": "calor.test",
            "message": "two\nlines of text",
            "status": 200,
        }

    def test_text_has_the_fields_at_its_end(self) -> None:
        with fields.scope(request_id="req-1"):
            line = logs.TextLines().format(_record("hello"))

        assert line.endswith("INFO calor.test: hello [request_id=req-1]")

    def test_text_without_fields_has_no_brackets(self) -> None:
        assert logs.TextLines().format(_record("hello")).endswith("INFO calor.test: hello")


class TestSecrets:
    @pytest.mark.parametrize("form", [logs.JsonLines(), logs.TextLines()])
    def test_are_masked_in_messages_and_exceptions(self, form: logging.Formatter) -> None:
        record = _failed(ValueError("password=hunter2"))
        record.msg = "token: hunter2"

        assert "hunter2" not in form.format(record)

    @pytest.mark.parametrize("form", [logs.JsonLines(), logs.TextLines()])
    def test_messages_of_exceptions_are_omitted_with_hidden_values(self, form: logging.Formatter) -> None:
        value = "a value that is hidden".upper()
        with fields.scope(confidential=True), fields.scope(stack="below"):
            line = form.format(_failed(KeyError(value)))

        assert value not in line
        assert "KeyError" in line
        assert "test_logs.py" in line


class TestFiles:
    @pytest.mark.usefixtures("kept_handlers")
    def test_a_rotated_file_is_reopened(self, tmp_path: Path) -> None:
        file = tmp_path / "calor.log"
        logs.start(file=str(file))
        logging.getLogger("calor").info("one")
        file.rename(tmp_path / "calor.log.1")
        logging.getLogger("calor").info("two")

        assert "one" in (tmp_path / "calor.log.1").read_text()
        assert "two" in file.read_text()

    @pytest.mark.usefixtures("kept_handlers")
    def test_debug_messages_are_logged_when_enabled(self, tmp_path: Path) -> None:
        file = tmp_path / "calor.log"
        logs.start(file=str(file))
        logging.getLogger("calor.engine").debug("not told")
        logs.start(file=str(file), debug=True)
        logging.getLogger("calor.engine").debug("told")

        assert file.read_text().count("told") == 1
