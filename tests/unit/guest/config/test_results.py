"""Results are no larger than the API takes, and neither is the memory for them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from calor_guest.config.results import LARGEST, request_body
from calor_guest.config.running import Tail


def test_a_small_result_is_sent_as_it_is() -> None:
    result = {"deploy_stdout": "a", "deploy_stderr": "", "deploy_status_code": 0, "port": "8080"}
    assert json.loads(request_body(result)) == result


@pytest.mark.parametrize("text", ["a", "ä", "\\", "\n", "\N{GRINNING FACE}", "\0"])
def test_of_long_texts_the_end_is_sent(text: str) -> None:
    result = {
        "deploy_stdout": text * 900_000,
        "deploy_stderr": text * 300_000,
        "deploy_status_code": 0,
        "port": "80",
    }
    body = request_body(result)
    assert LARGEST - 100 < len(body) <= LARGEST
    sent = json.loads(body)
    assert sent["port"] == "80"
    for name in ("deploy_stdout", "deploy_stderr"):
        assert sent[name]
        assert result[name].endswith(sent[name])  # type: ignore[attr-defined]
    assert len(sent["deploy_stdout"]) == pytest.approx(3 * len(sent["deploy_stderr"]), rel=0.01)


@pytest.mark.parametrize("value", ["a" * LARGEST, ["ä"] * 300_000])
def test_outputs_that_are_too_large_fail_the_deployment(value: Any) -> None:
    sent = json.loads(request_body({"deploy_stdout": "a", "deploy_status_code": 0, "log": value}))
    assert sent["deploy_status_code"] == 1
    assert "log takes" in sent["deploy_stderr"]
    assert "log" not in sent


def test_a_tail_keeps_the_end_in_little_memory() -> None:
    tail = Tail(1000)
    for number in range(10_000):
        tail.add(b"%d\n" % number)
        assert len(tail._bytes) <= 2010
    assert tail.text().endswith("9998\n9999\n")
    assert len(tail.text()) == 1000
    assert tail.text(5) == "9999\n"
