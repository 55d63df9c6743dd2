"""The result of a deployment reaches its stack, by the transport that the inputs name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.guest.config.guest import Guest, script
from tests.unit.guest.config.stack import Stack


def test_a_script_reports_its_outputs_and_what_it_wrote(guest: Guest, stack: Stack) -> None:
    text = 'echo "hello $who"; echo careful >&2; printf 8080 > $heat_outputs_path.port'
    inputs = ({"name": "who", "value": "world"}, *stack.signal_inputs("POST"))
    guest.give(script("a1", text, *inputs, outputs=[{"name": "port"}, {"name": "never_written"}]))

    assert guest.run().returncode == 0
    (sent,) = stack.received
    assert (sent.verb, sent.path) == ("POST", "/signal?Signature=secret")
    assert sent.headers["content-type"] == "application/json"
    assert sent.body == {
        "port": "8080",
        "deploy_stdout": "hello world\n",
        "deploy_stderr": "careful\n",
        "deploy_status_code": 0,
    }


def test_a_temporary_url_takes_the_result_by_put(guest: Guest, stack: Stack) -> None:
    guest.give(script("a1", "exit 3", *stack.signal_inputs("PUT")))
    assert guest.run().returncode == 0
    (sent,) = stack.received
    assert sent.verb == "PUT"
    assert sent.body["deploy_status_code"] == 3


def test_a_native_signal_is_sent_with_a_token_to_the_region(guest: Guest, stack: Stack) -> None:
    guest.give(script("a1", "echo done", *stack.account_inputs()))
    assert guest.run().returncode == 0
    log_in, signal = stack.received
    assert log_in.body["auth"]["identity"]["password"]["user"] == {"id": "u1", "password": "hidden"}
    assert log_in.body["auth"]["scope"] == {"project": {"id": "p1"}}
    assert signal.path == "/orchestration/stacks/web/5f2a/resources/app%20deployment/signal"
    assert signal.headers["x-auth-token"] == "token-1"
    assert signal.body["deploy_stdout"] == "done\n"


def test_a_queue_takes_the_result_as_a_message(guest: Guest, stack: Stack) -> None:
    guest.give(script("a1", "echo done", *stack.account_inputs(), {"name": "deploy_queue_id", "value": "q1"}))
    assert guest.run().returncode == 0
    _, message = stack.received
    assert message.path == "/messaging/v2/queues/q1/messages"
    assert message.body["messages"][0]["ttl"] == 600
    assert message.body["messages"][0]["body"]["deploy_stdout"] == "done\n"


def test_without_a_transport_nothing_is_sent(guest: Guest, stack: Stack) -> None:
    guest.give(script("a1", "echo done"))
    assert guest.run().returncode == 0
    assert stack.received == []
    assert guest.state_files() == ["a1.json", "a1.notify.json"]


def test_a_short_outage_delays_the_result(guest: Guest, stack: Stack) -> None:
    stack.answers = [503, 500]
    guest.give(script("a1", "echo done", *stack.signal_inputs()))
    assert guest.run().returncode == 0
    assert len(stack.results) == 3


def test_a_result_that_cannot_be_delivered_is_delivered_by_a_later_run(guest: Guest, stack: Stack) -> None:
    """The exit code makes os-collect-config run again soon."""
    proxy = guest.write_program(guest.folder / "notify", "#!/bin/sh\necho no network >&2; exit 75\n")
    guest.environment["HEAT_CONFIG_NOTIFY"] = str(proxy)
    guest.give(script("a1", f"echo ran >> {guest.folder}/runs; echo done", *stack.signal_inputs()))
    for _ in range(2):
        away = guest.run()
        assert away.returncode == 1
        assert "no network" in away.stderr

    del guest.environment["HEAT_CONFIG_NOTIFY"]
    for _ in range(2):
        assert guest.run().returncode == 0
    assert [one["deploy_stdout"] for one in stack.results] == ["done\n"]
    assert (guest.folder / "runs").read_text() == "ran\n"


def test_a_refused_result_is_not_a_reason_to_run_again_soon(guest: Guest, stack: Stack) -> None:
    stack.answers = [404]
    guest.give(script("a1", "echo done", *stack.signal_inputs()))
    first = guest.run()
    assert first.returncode == 0
    assert "404" in first.stderr
    assert "Signature" not in first.stderr

    assert guest.run().returncode == 0
    assert len(stack.results) == 2


def test_the_result_of_a_config_that_is_gone_is_not_delivered_late(guest: Guest, stack: Stack) -> None:
    """The stack would take it for that of the next one."""
    stack.answers = [404]
    guest.give(script("a1", "echo old", *stack.signal_inputs()))
    guest.run()
    guest.give(script("a2", "echo new", *stack.signal_inputs()))
    guest.run()
    assert [one["deploy_stdout"] for one in stack.results] == ["old\n", "new\n"]


@pytest.mark.parametrize("text", ["", '{"foo": "bar"}{"foo"'])
def test_without_a_valid_result_an_empty_one_is_sent(guest: Guest, stack: Stack, text: str) -> None:
    config = _config_file(guest, stack)
    assert guest.run("heat-config-notify", config, input=text).returncode == 0
    assert stack.results == [{}]


def test_a_result_given_by_hand_is_sent(guest: Guest, stack: Stack) -> None:
    config = _config_file(guest, stack)
    assert guest.run("heat-config-notify", config, input='{"foo": "bar"}').returncode == 0
    assert stack.results == [{"foo": "bar"}]


def test_without_a_config_nothing_is_sent(guest: Guest, stack: Stack) -> None:
    for arguments in ((), (guest.folder / "missing.json",)):
        done = guest.run("heat-config-notify", *arguments, input="{}")
        assert done.returncode == 1
        assert "usage" in done.stderr
    assert stack.received == []


def test_other_urls_are_refused(guest: Guest) -> None:
    """For a moment's mistake, a file of the server would be read or a request sent that nobody meant."""
    config = guest.folder / "config.json"
    config.write_text(json.dumps({"inputs": [{"name": "deploy_signal_id", "value": "file:///etc/passwd"}]}))
    done = guest.run("heat-config-notify", config, input="{}")
    assert done.returncode == 1
    assert "not an HTTP URL" in done.stderr


def _config_file(guest: Guest, stack: Stack) -> Path:
    path = guest.folder / "config.json"
    path.write_text(json.dumps({"id": "a1", "inputs": stack.signal_inputs()}))
    return path
