"""What is shown while something is done to a stack: on a terminal, elsewhere, with services of others."""

from __future__ import annotations

import argparse
import io
import os
import pty
import re
import select
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from calor.cli.api.client import Heat, StackRef
from calor.cli.api.settings import CloudSettings
from calor.cli.progress import watch
from calor.cli.stack.following import Event
from calor.cli.stack.places import Places
from calor.cli.stack.tree import Tree
from tests.cli.fake_service import Reply, StandIn, stack
from tests.cli.invocation import Ran, Run
from tests.cli.plain_heat import OlderService
from tests.support.server import Server

_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def at_terminal(*words: str, answer: str = "") -> Ran:
    """The command in a terminal of its own; the answer is typed when it asks."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ |= {"LINES": "24", "COLUMNS": "100", "TERM": "xterm"}
        os.execv(sys.executable, [sys.executable, "-m", "calor", *words])
    shown = b""
    while select.select([terminal], [], [], 60)[0]:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
        if answer and b"[y/N]" in shown:
            os.write(terminal, answer.encode())
            answer = ""
    os.close(terminal)
    _, status = os.waitpid(pid, 0)
    return Ran(os.waitstatus_to_exitcode(status), shown.decode(), "")


def last_picture(shown: str) -> list[str]:
    """What a terminal shows in the end: everything after the last time that the cursor went up."""
    after = re.split(r"\x1b\[\d+A", shown)[-1]
    return [_ESCAPE.sub("", line).rstrip() for line in after.replace("\r", "").splitlines()]


class TestOnATerminal:
    def test_a_tree_grows(self, calor: Run) -> None:
        ran = at_terminal("stack", "create", "-t", "outer.yaml", "-P", "secs=0.4", "grown")

        assert ran.code == 0
        picture = last_picture(ran.out)
        assert re.match(r"grown  CREATE_COMPLETE  ━{30} 4/4  \d+\.\d s", picture[0])
        assert re.match(r"├─ ✔ first  CREATE_COMPLETE  \d+\.\d s", picture[1])
        assert any(re.match(r"(│  |   )└─ ✔ deep  CREATE_COMPLETE", line) for line in picture)
        assert "CREATE_IN_PROGRESS" in ran.out
        assert "  said = hello" in picture
        assert ran.out.count("\x1b[?25l") == ran.out.count("\x1b[?25h") == 1

    def test_a_failure_has_its_reason_and_place_below_it(self, calor: Run) -> None:
        ran = at_terminal("stack", "create", "-t", "broken.yaml", "fallen")

        assert ran.code == 1
        picture = last_picture(ran.out)
        deep = next(index for index, line in enumerate(picture) if "✘ deep" in line)
        assert "Test Resource failed deep" in picture[deep + 1]
        assert picture[deep + 1].endswith("inner.yaml:5")

    def test_an_update_asks_after_it_has_shown_the_plan(self, calor: Run, stack: str) -> None:
        refused = at_terminal("stack", "update", "-t", "outer.yaml", "-P", "word=x", stack, answer="n\n")

        assert refused.code == 1
        assert refused.out.index("update first") < refused.out.index("[y/N]")
        assert f"Update {stack} in cloud calor, project demo?" in refused.out
        assert calor("stack", "output", "show", stack, "said", "-f", "value").out == "hello\n"

        assert (
            at_terminal("stack", "update", "-t", "outer.yaml", "-P", "word=x", stack, answer="y\n").code == 0
        )
        assert calor("stack", "output", "show", stack, "said", "-f", "value").out == "x\n"

    def test_a_deletion_asks(self, calor: Run, stack: str) -> None:
        refused = at_terminal("stack", "delete", stack, answer="\n")
        assert refused.code == 1
        assert "Deleting from cloud calor, project demo" in refused.out
        assert calor("stack", "show", stack).code == 0

        assert at_terminal("stack", "delete", stack, answer="yes\n").code == 0
        assert calor("stack", "show", stack).code == 1

    def test_tables_have_no_borders_and_ids_stay_whole(self, calor: Run, stack: str) -> None:
        shown = last_picture(at_terminal("stack", "list").out)
        id = calor("stack", "show", stack, "-f", "value", "-c", "id").out.strip()

        assert shown[0].split()[:3] == ["ID", "Stack", "Name"]
        assert any(line.startswith(f"{id}  ") for line in shown)
        assert max(map(len, shown)) <= 110


class _Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_view_that_moves_ends_with_whatever_goes_wrong_behind_it(service: StandIn) -> None:
    service.has("web", stack("web", "CHECK_COMPLETE"))
    service.says("GET /stacks/web/web-id/events/stream", Reply(body=b"event: event\ndata: {}\n\n"))
    settings = CloudSettings("here", "none", {}, overrides={"orchestration": service.url})
    heat = Heat(lambda: settings, argparse.Namespace())

    with pytest.raises(KeyError):
        watch(heat, StackRef("web", "web-id"), None, Places(None), out=_Screen())


@pytest.fixture
def older(server: Server, calor: Run, monkeypatch: pytest.MonkeyPatch) -> Iterator[OlderService]:
    made = OlderService(f"http://127.0.0.1:{server.port}")
    monkeypatch.setenv("OS_CLOUD", "calor")
    yield made
    made.stop()


class TestWithAServiceThatHasNoStream:
    def test_events_are_asked_for(self, calor: Run, older: OlderService) -> None:
        where = ("--heat-url", f"{older.url}/v1/%(project_id)s")

        made = calor("stack", "create", "-t", "outer.yaml", "polled", "--poll", "0.1", *where)

        assert made.code == 0
        assert any(one.endswith("/events/stream") for one in older.asked)
        assert "[polled.inner.deep]: CREATE_COMPLETE" in made.out
        assert made.lines[-1] == "  said = hello"

        changed = calor(
            "stack", "update", "-y", "-t", "outer.yaml", "-P", "word=x", "polled", "--poll", "0.1", *where
        )
        assert changed.lines[0].startswith("~ update first")
        assert "CREATE_" not in changed.out
        assert changed.lines[-1] == "  said = x"

        gone = calor("stack", "delete", "--yes", "polled", *where)
        assert gone.code == 0
        assert "DELETE_IN_PROGRESS" in gone.out

    def test_a_failure_is_one(self, calor: Run, older: OlderService) -> None:
        ran = calor(
            "stack", "create", "-t", "broken.yaml", "poor", "--heat-url", f"{older.url}/v1/%(project_id)s"
        )

        assert ran.code == 1
        assert "CREATE_FAILED" in ran.err

    def test_what_failed_is_tried_once_more_by_an_update(self, calor: Run, older: OlderService) -> None:
        calor("stack", "create", "-t", "broken.yaml", "patched")

        ran = calor("stack", "retry", "patched", "--heat-url", f"{older.url}/v1/%(project_id)s")

        assert ran.code == 1
        assert "is UPDATE_FAILED" in ran.err


def event(resource: str, status: str, stack: tuple[str, str], physical: str = "") -> Event:
    return Event(f"{resource}-{status}", "", resource, status, "", physical, StackRef(*stack))


class TestTree:
    def test_nested_stacks_are_found_by_their_names(self) -> None:
        tree = Tree("web", "1")
        tree.see(event("group", "CREATE_IN_PROGRESS", ("web", "1")), 0)
        tree.see(event("group-x", "CREATE_IN_PROGRESS", ("web", "1")), 0)

        way = tree.see(event("0", "CREATE_IN_PROGRESS", ("web-group-x-abc", "2")), 0)

        assert way == ("group-x", "0")

    def test_a_wrong_guess_is_corrected_by_the_id(self) -> None:
        tree = Tree("web", "1")
        assert tree.see(event("0", "CREATE_COMPLETE", ("odd", "2")), 0) == ("odd", "0")

        tree.see(event("group", "CREATE_COMPLETE", ("web", "1"), "2"), 1)

        assert tree.see(event("1", "CREATE_COMPLETE", ("odd", "2")), 1) == ("group", "1")
        assert list(tree.root.below) == ["group"]
        assert list(tree.root.below["group"].below) == ["0", "1"]

    def test_what_is_below_is_gone_with_what_held_it(self) -> None:
        tree = Tree("web", "1")
        tree.see(event("group", "DELETE_IN_PROGRESS", ("web", "1"), "2"), 0)
        tree.see(event("0", "DELETE_IN_PROGRESS", ("web-group-a", "2")), 0)

        tree.see(event("group", "DELETE_COMPLETE", ("web", "1"), "2"), 1)

        assert tree.counts() == {"COMPLETE": 2, "FAILED": 0, "IN_PROGRESS": 0, "": 0}


def test_following_prints_what_comes(calor: Run, stack: str, programs: Path) -> None:
    import subprocess

    follower = subprocess.Popen(
        [programs / "calor", "stack", "event", "list", stack, "--follow"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert follower.stdout is not None
        assert "Stack CREATE started" in follower.stdout.readline()
        calor("stack", "update", "-y", "--existing", "-P", "word=x", stack)
        assert any("Stack UPDATE completed" in line for line in follower.stdout)
    finally:
        follower.kill()
        follower.wait()
