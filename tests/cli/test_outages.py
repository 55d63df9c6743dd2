"""What is shown and waited for while a service is started again, streams are cut and tokens end."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from calor.cli.api import retries
from tests.cli.fake_service import END, HANG_UP, Reply, StandIn, event, message, refusal, reported, stack
from tests.cli.invocation import Ran, Run
from tests.support.server import Server, free_port, until

STREAM = "GET /stacks/web/web-id/events/stream"
EVENTS = "GET /stacks/web/web-id/events"
SHOW = "GET /stacks/web/web-id"
NGINX = (
    b"<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n"
    b"<hr><center>nginx/1.26.3</center>\r\n</body>\r\n</html>\r\n"
)
TROUBLES = [refusal(502), Reply(503, b"<html>no backend</html>"), HANG_UP]


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "FIRST_PAUSE", 0.001)


@pytest.fixture
def web(service: StandIn) -> StandIn:
    service.has("web", stack("web", "CHECK_COMPLETE"))
    return service


def told_events(ran: Ran) -> list[str]:
    return [line.split("number ")[1] for line in ran.lines if "[web]:" in line]


def positions(web: StandIn) -> list[str | None]:
    """Where each stream was to begin."""
    return [one.headers.get("Last-Event-ID") for one in web.asked if one.what == STREAM]


class TestAStream:
    def test_that_breaks_is_taken_up_where_it_broke(self, command: Run, web: StandIn) -> None:
        begun, ended = message(7, "CHECK_IN_PROGRESS"), message(8, "CHECK_COMPLETE")
        web.says(STREAM, Reply(body=begun), Reply(body=ended + END))

        ran = command("stack", "check", "web")

        assert ran.code == 0
        assert told_events(ran) == ["7", "8"]
        assert positions(web) == [None, "7"]

    @pytest.mark.parametrize("kept", [12, 40, 200, -1])
    def test_nothing_of_a_message_that_is_cut_off_is_reported_before_it_is_complete(
        self, command: Run, web: StandIn, kept: int
    ) -> None:
        begun, ended = message(7, "CHECK_IN_PROGRESS"), message(8, "CHECK_COMPLETE")
        web.says(STREAM, Reply(body=begun + ended[:kept]), Reply(body=ended + END))

        ran = command("stack", "check", "web")

        assert ran.code == 0
        assert told_events(ran) == ["7", "8"]
        assert positions(web) == [None, "7"]

    def test_may_break_any_number_of_times_as_long_as_something_comes(
        self, command: Run, web: StandIn
    ) -> None:
        parts = [Reply(body=message(number, "CHECK_IN_PROGRESS")) for number in range(20)]
        web.says(STREAM, *parts, Reply(body=END))

        ran = command("stack", "check", "web")

        assert ran.code == 0
        assert told_events(ran) == [str(number) for number in range(20)]
        assert web.times(EVENTS) == 1

    @pytest.mark.parametrize("trouble", TROUBLES)
    def test_is_waited_for_while_the_service_is_away(
        self, command: Run, web: StandIn, trouble: Reply
    ) -> None:
        begun, ended = message(7, "CHECK_IN_PROGRESS"), message(8, "CHECK_COMPLETE")
        web.says(STREAM, trouble, Reply(body=begun), *[trouble] * 8, Reply(body=ended + END))

        ran = command("stack", "check", "web")

        assert (ran.code, ran.err) == (0, "")
        assert told_events(ran) == ["7", "8"]

    def test_that_never_lasts_is_given_up_for_asking(self, command: Run, web: StandIn) -> None:
        web.says(STREAM, Reply(body=message(7, "CHECK_IN_PROGRESS")), Reply(body=b""))
        web.says(EVENTS, reported({"events": []}), reported({"events": [event(8, "CHECK_COMPLETE")]}))

        ran = command("stack", "check", "web")

        assert ran.code == 0
        assert told_events(ran) == ["7", "8"]

    def test_is_followed_over_breaks_until_the_stack_is_gone(self, command: Run, web: StandIn) -> None:
        begun, ended = message(7, "DELETE_IN_PROGRESS"), message(8, "DELETE_COMPLETE")
        web.says(STREAM, Reply(body=begun), refusal(503), Reply(body=ended + END))

        ran = command("stack", "event", "list", "--follow", "web")

        assert ran.code == 0
        assert told_events(ran) == ["7", "8"]


class TestAServiceInTrouble:
    @pytest.mark.parametrize("trouble", TROUBLES)
    def test_is_asked_again_for_events_and_for_the_state(
        self, command: Run, web: StandIn, trouble: Reply
    ) -> None:
        web.says("GET /stacks/web/web-id/resources", trouble, reported({"resources": []}))
        web.says(
            EVENTS,
            reported({"events": []}),
            reported({"events": [event(7, "CHECK_IN_PROGRESS")]}),
            *[trouble] * 8,
            reported({"events": [event(8, "CHECK_COMPLETE")]}),
        )
        done = stack("web", "CHECK_COMPLETE")
        web.says(SHOW, trouble, done, trouble, done, trouble, done)

        ran = command("stack", "check", "web")

        assert (ran.code, ran.err) == (0, "")
        assert told_events(ran) == ["7", "8"]

    @pytest.mark.parametrize("has_stream", [True, False])
    def test_that_stays_unavailable_is_reported_in_the_end(
        self, command: Run, web: StandIn, monkeypatch: pytest.MonkeyPatch, has_stream: bool
    ) -> None:
        monkeypatch.setattr(retries, "MOST_SECONDS", 0.1)
        begun = Reply(body=message(7, "CHECK_IN_PROGRESS"))
        web.says(STREAM, *([begun, HANG_UP] if has_stream else [refusal(404)]))
        web.says(EVENTS, reported({"events": []}), HANG_UP)

        ran = command("stack", "check", "web")

        assert ran.code == 1
        assert len(ran.complaints) == 1
        assert ran.err.startswith(f"calor: {web.url} does not answer: ")

    def test_that_refuses_is_not_asked_again(self, command: Run, web: StandIn) -> None:
        web.says(EVENTS, reported({"events": []}), refusal(403, "not yours"))

        ran = command("stack", "check", "web")

        assert (ran.code, ran.err) == (1, "calor: not yours (your roles in this project do not allow it)\n")
        assert web.times(EVENTS) == 2

    @pytest.mark.parametrize(
        ("page", "said"),
        [
            (NGINX, "502 Bad Gateway"),
            (b"<!DOCTYPE html><html><body><p>Oh</p></body></html>", "502 Bad Gateway"),
            (b"<html><head><title>We are\n away</title></head></html>", "502 We are away"),
            # Nobody looks for it in all of a large page.
            (b"<html>" + b" " * 100_000 + b"<title>Far below</title></html>", "502 Bad Gateway"),
        ],
    )
    def test_that_answers_with_a_page_is_reported_in_a_line(
        self, command: Run, web: StandIn, page: bytes, said: str
    ) -> None:
        web.says(SHOW, Reply(502, page, {"Content-Type": "text/html"}))

        ran = command("stack", "show", "web")

        assert ran.code == 1
        assert "<" not in ran.err
        assert f"the service failed: {said}\n" in ran.err

    def test_is_not_waited_for_before_anything_was_begun(self, command: Run, web: StandIn) -> None:
        web.says("POST /stacks/web/web-id/actions", refusal(503))

        assert command("stack", "check", "web").code == 1
        assert web.times("POST /stacks/web/web-id/actions") == 1


class TestATokenThatEnds:
    ENDED = refusal(401, "the token has ended")

    @pytest.fixture
    def keystone(self, web: StandIn, monkeypatch: pytest.MonkeyPatch) -> StandIn:
        tokens = [reported({"token": {}}, 201, X_Subject_Token=f"token-{number}") for number in range(9)]
        web.says("POST /v3/auth/tokens", *tokens)
        monkeypatch.delenv("OS_NO_CLIENT_AUTH")
        monkeypatch.setenv("OS_AUTH_URL", web.url)
        return web

    @pytest.mark.parametrize(
        "given",
        [
            {"OS_USERNAME": "u", "OS_PASSWORD": "p"},
            {"OS_APPLICATION_CREDENTIAL_ID": "i", "OS_APPLICATION_CREDENTIAL_SECRET": "s"},
        ],
    )
    def test_is_replaced_while_a_stack_is_waited_for(
        self, command: Run, keystone: StandIn, monkeypatch: pytest.MonkeyPatch, given: dict[str, str]
    ) -> None:
        for name, value in given.items():
            monkeypatch.setenv(name, value)
        keystone.says(STREAM, self.ENDED, Reply(body=message(7, "CHECK_COMPLETE") + END))
        keystone.says(SHOW, self.ENDED, stack("web", "CHECK_COMPLETE"))

        ran = command("stack", "check", "web")

        assert (ran.code, ran.err) == (0, "")
        assert keystone.times("POST /v3/auth/tokens") == 3
        assert keystone.asked[-1].headers["X-Auth-Token"] == "token-2"

    def test_is_replaced_once_for_a_request(
        self, command: Run, keystone: StandIn, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OS_USERNAME", "u")
        monkeypatch.setenv("OS_PASSWORD", "p")
        keystone.says("GET /stacks", self.ENDED)

        ran = command("stack", "list")

        assert (ran.code, len(ran.complaints)) == (1, 1)
        assert ran.err.startswith("calor: the token has ended")
        assert keystone.times("POST /v3/auth/tokens") == 2

    def test_is_the_end_if_it_was_given(
        self, command: Run, keystone: StandIn, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OS_TOKEN", "given")
        keystone.says("GET /stacks", self.ENDED)

        assert command("stack", "list").code == 1
        assert keystone.times("GET /stacks") == 1

    def test_is_replaced_when_the_log_in_is_there_again(
        self, command: Run, keystone: StandIn, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OS_USERNAME", "u")
        monkeypatch.setenv("OS_PASSWORD", "p")
        log_in = reported({"token": {}}, 201, X_Subject_Token="t")
        keystone.says("POST /v3/auth/tokens", log_in, refusal(503), HANG_UP, log_in)
        keystone.says(STREAM, self.ENDED, Reply(body=message(7, "CHECK_COMPLETE") + END))

        assert command("stack", "check", "web").code == 0


@pytest.fixture
def own_server(tmp_path: Path, programs: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    made = Server(tmp_path / "own", free_port())
    made.ready()
    monkeypatch.setenv("CALOR_STATE_DIR", str(made.state_dir))
    yield made
    made.stop()


@pytest.mark.extended
def test_a_stack_is_waited_for_while_the_api_is_killed_and_started_again(
    own_server: Server, programs: Path
) -> None:
    words = ("stack", "create", "-t", "outer.yaml", "-P", "secs=6", "lasting")
    with subprocess.Popen(
        [programs / "calor", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as creating:
        assert creating.stdout is not None
        assert creating.stderr is not None
        assert "CREATE_IN_PROGRESS" in creating.stdout.readline()
        killed = until(lambda: own_server.child("api"))
        os.kill(killed, signal.SIGKILL)
        shown = creating.stdout.read()
        said = creating.stderr.read()

    assert (creating.returncode, said) == (0, "")
    assert shown.count("[lasting.second]: CREATE_COMPLETE") == 1
