"""A config runs once, whatever happens to the server meanwhile, and its stack learns how it ended."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.unit.guest.config.guest import Guest, script
from tests.unit.guest.config.stack import PATIENCE, Stack


def wait_for(path: Path) -> None:
    end = time.monotonic() + PATIENCE
    while not path.exists():
        assert time.monotonic() < end, f"{path} never came"
        time.sleep(0.01)


def has_ended(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


@pytest.fixture
def runs(guest: Guest) -> Path:
    """Scripts add a line to it."""
    return guest.folder / "runs"


def test_a_config_runs_once(guest: Guest, stack: Stack, runs: Path) -> None:
    guest.give(script("a1", f"echo ran >> {runs}", *stack.signal_inputs()))
    for _ in range(2):
        assert guest.run().returncode == 0
    assert runs.read_text() == "ran\n"
    assert len(stack.results) == 1


def test_an_update_brings_a_new_id_and_runs(guest: Guest, runs: Path) -> None:
    for id in ("a1", "a2"):
        guest.give(script(id, f"echo {id} >> {runs}"))
        guest.run()
    assert runs.read_text() == "a1\na2\n"


def test_who_removes_the_mark_runs_the_config_again(guest: Guest, stack: Stack, runs: Path) -> None:
    """The earlier result is not taken for that of a second run that is killed."""
    guest.give(script("a1", f"echo ran >> {runs}", *stack.signal_inputs()))
    guest.run()
    (guest.deployed / "a1.json").unlink()
    guest.write_program(guest.hooks / "script", f"#!/bin/sh\necho again >> {runs}; kill -9 $PPID\n")
    assert guest.run().returncode == -signal.SIGKILL
    assert guest.run().returncode == 0
    assert runs.read_text() == "ran\nagain\n"
    assert [one["deploy_status_code"] for one in stack.results] == [0, 1]


def test_the_config_is_marked_before_its_hook_runs(guest: Guest, runs: Path) -> None:
    guest.give(script("a1", f"cp {guest.deployed}/a1.json {runs}"))
    guest.run()
    assert runs.exists()


def test_what_was_running_when_the_agent_was_killed_fails(guest: Guest, stack: Stack, runs: Path) -> None:
    guest.give(
        script("a1", f"echo $$ >> {runs}; sleep 1000", *stack.signal_inputs()),
        script("a2", f"echo next >> {runs}", *stack.signal_inputs()),
    )
    agent = guest.start()
    wait_for(runs)
    agent.kill()
    agent.communicate()

    assert guest.run().returncode == 0
    first, second = stack.results
    assert "was interrupted" in first["deploy_stderr"]
    assert first["deploy_status_code"] == 1
    assert second["deploy_status_code"] == 0
    pid, *others = runs.read_text().split()
    assert others == ["next"]
    assert has_ended(int(pid))


def test_a_killed_agent_takes_its_script_along(guest: Guest, runs: Path) -> None:
    guest.give(script("a1", f"echo $$ > {runs}.tmp; mv {runs}.tmp {runs}; while :; do sleep 0.05; done"))
    agent = guest.start()
    wait_for(runs)
    agent.kill()
    agent.communicate()
    end = time.monotonic() + PATIENCE
    while not has_ended(int(runs.read_text())):
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_result_that_was_saved_survives_the_agent(guest: Guest, stack: Stack, runs: Path) -> None:
    """Killed while it delivers."""
    guest.give(script("a1", f"echo ran >> {runs}; echo done", *stack.signal_inputs()))
    killer = guest.write_program(guest.folder / "notify", "#!/bin/sh\nkill -9 $PPID\n")
    guest.environment["HEAT_CONFIG_NOTIFY"] = str(killer)
    assert guest.run().returncode == -signal.SIGKILL

    del guest.environment["HEAT_CONFIG_NOTIFY"]
    assert guest.run().returncode == 0
    assert [one["deploy_stdout"] for one in stack.results] == ["done\n"]
    assert runs.read_text() == "ran\n"


def test_a_config_that_did_not_begin_runs_later(guest: Guest, stack: Stack, runs: Path) -> None:
    """Half a file may be left."""
    guest.deployed.mkdir()
    (guest.deployed / ".a1.json.x7").write_text("{")
    guest.give(script("a1", f"echo ran >> {runs}", *stack.signal_inputs()))
    assert guest.run().returncode == 0
    assert runs.read_text() == "ran\n"


@pytest.mark.extended
def test_kills_at_any_moment(guest: Guest, stack: Stack, runs: Path) -> None:
    moments = random.Random(7)
    for number in range(20):
        guest.give(script(f"a{number}", f"echo {number} >> {runs}; echo done", *stack.signal_inputs()))
        before = len(stack.results)
        agent = guest.start()
        time.sleep(moments.uniform(0, 0.6))
        agent.kill()
        agent.communicate()
        assert guest.run().returncode == 0
        assert len(stack.results) > before, f"the stack never heard of config {number}"
    ran = runs.read_text().split()
    assert len(ran) == len(set(ran))


def test_what_the_original_agent_left_unfinished_fails(guest: Guest, stack: Stack, runs: Path) -> None:
    guest.deployed.mkdir()
    (guest.deployed / "a1.json").write_text('{"id": "a1", "inp')
    guest.give(script("a1", f"echo ran >> {runs}", *stack.signal_inputs()))
    assert guest.run().returncode == 0
    assert "was interrupted" in stack.results[0]["deploy_stderr"]
    assert not runs.exists()


@pytest.mark.parametrize("with_result", [True, False])
def test_what_others_marked_as_done_is_done(
    guest: Guest, stack: Stack, runs: Path, with_result: bool
) -> None:
    """The original agent leaves the config and the result, heat-config-rebuild-deployed an empty file."""
    config = script("a1", f"echo ran >> {runs}", *stack.signal_inputs())
    guest.deployed.mkdir()
    (guest.deployed / "a1.json").write_text("{}" if with_result else "")
    if with_result:
        (guest.deployed / "a1.notify.json").write_text("{}")
    guest.give(config)
    assert guest.run().returncode == 0
    assert stack.results == []
    assert not runs.exists()


def test_what_the_earlier_folder_knows_does_not_run(guest: Guest, runs: Path) -> None:
    earlier = guest.folder / "earlier"
    earlier.mkdir()
    (earlier / "a1.json").write_text("{}")
    (earlier / "a1.notify.json").write_text("{}")
    guest.give(script("a1", f"echo ran >> {runs}"))
    assert guest.run().returncode == 0
    assert not runs.exists()
    assert not earlier.exists()
    assert guest.state_files() == ["a1.json", "a1.notify.json"]
    assert guest.deployed.stat().st_mode & 0o777 == 0o700


def test_agents_take_turns(guest: Guest, stack: Stack, runs: Path) -> None:
    """The second neither runs the config again nor takes it for interrupted."""
    go = guest.folder / "go"
    text = f"echo ran >> {runs}; while [ ! -e {go} ]; do sleep 0.01; done"
    guest.give(script("a1", text, *stack.signal_inputs()))
    first = guest.start()
    wait_for(runs)
    second = guest.start()
    with pytest.raises(subprocess.TimeoutExpired):
        second.wait(0.5)
    go.touch()
    for agent in (first, second):
        agent.communicate()
        assert agent.returncode == 0
    assert [one["deploy_status_code"] for one in stack.results] == [0]
    assert runs.read_text() == "ran\n"


def test_marks_are_made_from_the_metadata(guest: Guest) -> None:
    deployments = [
        script("a1", "exit 1"),
        {"id": "a2", "group": "os-apply-config"},
        {"id": "../a3", "group": "script"},
    ]
    guest.write_program(
        guest.programs / "os-apply-config",
        f"""#!/bin/sh
[ "$*" = "--key deployments --type raw" ] && cat {guest.configs}
""",
    )
    guest.give(*deployments)
    guest.deployed.mkdir()
    done = guest.run("heat-config-rebuild-deployed")
    assert done.returncode == 0, done.stderr
    assert guest.state_files() == ["a1.json"]
    assert os.path.getsize(guest.deployed / "a1.json") == 0

    guest.give(deployments[0])
    assert guest.run().returncode == 0
    assert guest.state_files() == ["a1.json"]


def test_without_metadata_nothing_is_marked(guest: Guest) -> None:
    guest.write_program(guest.programs / "os-apply-config", "#!/bin/sh\necho no metadata >&2; exit 1\n")
    done = guest.run("heat-config-rebuild-deployed")
    assert done.returncode == 1
    assert "no metadata" in done.stderr
