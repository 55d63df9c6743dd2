"""YAQL runs in processes that can be stopped, and no project keeps them to itself."""

from __future__ import annotations

import os
import threading
from typing import Any

import pytest

from calor.bounded.errors import TookTooLong, YaqlFailed
from calor.bounded.evaluator import ALLOWANCE, WINDOW, Allowance, evaluator
from calor.bounded.workers import Workers


class TestYaql:
    @pytest.mark.parametrize(
        ("expression", "result"),
        [
            ("$.data.a", [1, 2]),
            ("$.data.a.sum()", 3),
            ("$.data.a.toSet()", [1, 2]),
            ("dict(1 => 2)", {1: 2}),
            ("$.data.b", {"é": None}),
        ],
    )
    def test_results_are_template_data(self, expression: str, result: Any) -> None:
        assert evaluator().yaql(expression, {"a": [1, 2], "b": {"é": None}}) == result

    @pytest.mark.parametrize(
        "expression",
        [
            "pow(7, 3000000)",
            "$.data.matches('(a+)+!')",
            "$.data.replaceBy('(a+)+!', '')",
            "'a' * 2000000000",
            "range(1000000000).sum()",
            "sequence().sum()",
        ],
    )
    def test_what_takes_too_much_is_stopped(self, expression: str) -> None:
        with pytest.raises(YaqlFailed):
            evaluator().yaql(expression, "a" * 200)

    def test_what_cannot_be_read_is_reported(self) -> None:
        with pytest.raises(YaqlFailed):
            evaluator().check_yaql("$.data.(")

    def test_values_that_templates_lack_are_refused(self) -> None:
        with pytest.raises(YaqlFailed, match="datetime"):
            evaluator().yaql("now()", {})


class TestWorkers:
    def test_they_are_few_and_shared_by_threads(self) -> None:
        workers = Workers(most=2)
        answers: list[Any] = []

        def ask() -> None:
            task = {"task": "yaql", "iterators": 200, "memory": 10_000, "expression": "$.data", "data": 1}
            answers.extend(workers.ask(task, 60)["result"] for _ in range(10))

        threads = [threading.Thread(target=ask) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert answers == [1] * 60
        assert len(workers._idle) <= 2
        workers.close()

    def test_one_that_ended_while_idle_is_replaced(self) -> None:
        workers = Workers(most=1)
        task = {"task": "match", "way": "match", "expression": "a", "flags": 0, "text": "a"}
        assert workers.ask(task, 60)["result"] == 1
        [worker] = workers._idle
        reading = worker._process.stdin
        assert reading is not None
        # The end of its input is how a worker learns that it is not needed any more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), reading.fileno())
        worker._process.wait()

        assert workers.ask(task, 60)["result"] == 1
        assert workers._idle != [worker]
        workers.close()


class TestAllowance:
    def test_a_project_that_used_up_its_time_has_to_wait(self) -> None:
        clock = [0.0]
        project = ["one"]

        def slow(task: dict[str, Any], seconds: float) -> dict[str, Any]:
            clock[0] += seconds
            raise TookTooLong("it took too long")

        allowance = Allowance(slow, lambda: project[0], lambda: clock[0])
        for _ in range(int(ALLOWANCE)):
            with pytest.raises(TookTooLong, match="it took too long"):
                allowance.ask({}, 1.0)

        with pytest.raises(TookTooLong, match="used up"):
            allowance.ask({}, 1.0)
        project[0] = "other"
        with pytest.raises(TookTooLong, match="it took too long"):
            allowance.ask({}, 1.0)
        project[0] = "one"
        clock[0] += WINDOW
        assert allowance.used("one") == 0.0

    def test_what_is_quick_is_not_counted(self) -> None:
        allowance = Allowance(lambda task, seconds: {"result": 1}, lambda: "one", lambda: 0.0)
        for _ in range(100):
            allowance.ask({}, 1.0)
        assert allowance.used("one") == 0.0
