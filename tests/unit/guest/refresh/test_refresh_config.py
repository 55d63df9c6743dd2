"""What os-refresh-config and dib-run-parts run, in which order, and until when."""

from __future__ import annotations

import fcntl
import os
import subprocess
from pathlib import Path

import pytest

from calor_guest.archive import archive
from calor_guest.refresh.descendants import below


class Tools:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.base = folder / "base"
        for name in ("os-refresh-config", "dib-run-parts", "heat-config-notify"):
            (folder / name).symlink_to(folder / "archive.pyz")
        (folder / "archive.pyz").write_bytes(archive())
        (folder / "archive.pyz").chmod(0o755)

    def part(self, path: str, text: str, mode: int = 0o755) -> Path:
        file = self.base / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(mode)
        return file

    def says(self, path: str, code: int = 0) -> None:
        self.part(path, f"#!/bin/sh\necho {path}\nexit {code}\n")

    def run(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "OS_REFRESH_CONFIG_BASE_DIR": str(self.base)}
        command = [str(self.folder / program), *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True)

    def refresh(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.run("os-refresh-config", "--lockfile", str(self.folder / "lock"), *arguments)


@pytest.fixture
def tools(tmp_path: Path) -> Tools:
    return Tools(tmp_path)


def test_phases_and_parts_run_in_order(tools: Tools) -> None:
    for path in (
        "migration.d/1",
        "configure.d/10-b",
        "configure.d/9-c",
        "configure.d/10-a",
        "pre-configure.d/x",
    ):
        tools.says(path)
    tools.part("configure.d/20-not-executable", "#!/bin/sh\necho no\n", mode=0o644)
    tools.says("configure.d/30.bak")
    done = tools.refresh()
    assert done.returncode == 0
    assert done.stdout.split() == [
        "pre-configure.d/x",
        "configure.d/9-c",
        "configure.d/10-a",
        "configure.d/10-b",
        "migration.d/1",
    ]


def test_a_failure_ends_the_run_after_the_error_handlers(tools: Tools) -> None:
    tools.says("configure.d/1", code=7)
    tools.says("configure.d/2")
    tools.says("post-configure.d/1")
    tools.says("error.d/1")
    done = tools.refresh()
    assert done.returncode == 1
    assert done.stdout.split() == ["configure.d/1", "error.d/1"]
    assert "configure phase: 1 exited with code 7" in done.stderr


def test_only_one_runs_at_a_time(tools: Tools) -> None:
    tools.says("configure.d/1")
    with open(tools.folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = tools.refresh()
    assert done.returncode != 0
    assert done.stdout == ""
    assert "Could not lock" in done.stderr


def test_a_timeout_kills_all_that_runs(tools: Tools) -> None:
    tools.part("configure.d/1", "#!/bin/sh\nsleep 1000 & echo $!\nwait\n")
    tools.says("configure.d/2")
    done = tools.refresh("--timeout", "1")
    assert done.returncode == 1
    (pid,) = done.stdout.split()
    state = Path(f"/proc/{pid}/stat")
    assert not state.exists() or ") Z " in state.read_text()


def test_descendants_are_found_before_their_own() -> None:
    assert below(1, {2: 1, 3: 2, 4: 3, 5: 1, 6: 7}) == [2, 5, 3, 4]


def test_the_environment_is_sourced_before_parts_run(tools: Tools) -> None:
    tools.part("environment.d/10-first", "export VALUE='two\nlines' OTHER=1\necho sourcing\n", mode=0o644)
    tools.part("environment.d/20-second", "export OTHER=${OTHER}2\n", mode=0o644)
    tools.part("configure.d/1", '#!/bin/sh\necho "$VALUE" $OTHER\n')
    done = tools.run("dib-run-parts", str(tools.base / "configure.d"))
    assert done.stdout == "sourcing\ntwo\nlines 12\n"


def test_an_environment_that_fails_ends_the_run(tools: Tools) -> None:
    tools.part("environment.d/1", "exit 5\n", mode=0o644)
    tools.says("configure.d/1")
    done = tools.run("dib-run-parts", str(tools.base / "configure.d"))
    assert (done.returncode, done.stdout) == (5, "")


def test_scripts_without_an_interpreter_and_programs_that_cannot_run(tools: Tools) -> None:
    tools.part("configure.d/1", "echo shell\n")
    tools.part("configure.d/2", "#!/no/such/interpreter\n")
    done = tools.run("dib-run-parts", str(tools.base / "configure.d"))
    assert (done.returncode, done.stdout) == (126, "shell\n")


def test_listing_runs_nothing(tools: Tools) -> None:
    tools.says("configure.d/2")
    tools.says("configure.d/10")
    folder = str(tools.base / "configure.d")
    done = tools.run("dib-run-parts", "--list", folder)
    assert done.stdout == f"{folder}/2\n{folder}/10\n"
    assert tools.run("dib-run-parts").returncode == 1
    assert tools.run("dib-run-parts", "/no/such/folder").returncode == 1


def test_a_signal_counts_as_shells_count_it(tools: Tools) -> None:
    tools.part("configure.d/1", "#!/bin/sh\nkill -TERM $$\n")
    assert tools.run("dib-run-parts", str(tools.base / "configure.d")).returncode == 128 + 15


def test_own_programs_get_their_environment_and_give_their_exit_code(tools: Tools) -> None:
    tools.part("configure.d/.keep", "")
    (tools.base / "configure.d" / "20-os-apply-config").symlink_to(tools.folder / "archive.pyz")
    metadata = tools.folder / "metadata.json"
    metadata.write_text("{")
    tools.part("environment.d/1", f"export OS_CONFIG_FILES={metadata}\n", mode=0o644)
    done = tools.refresh()
    assert done.returncode == 1
    assert f"{metadata} is not JSON" in done.stderr
    assert "20-os-apply-config exited with code 1" in done.stderr
