"""heat-tempest-plugin, unmodified, against a server: the tests that need nothing but OS::Heat types, those that need a
small cloud, on each of its backends, and those whose servers have to run."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conformance.tempest_runs import IN_A_CLOUD, IN_SERVERS, WITHOUT_A_CLOUD, filled_in, run
from tests.support.requirements import need, need_servers
from tests.support.server import Server, free_port

pytest.importorskip("heat_tempest_plugin")
TEMPEST = shutil.which("tempest", path=str(Path(sys.executable).parent))


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[str], Server]]:
    """Starts a server with a backend of the cloud, if that and what the tests do with it can be had here."""
    started: list[Server] = []

    def begin(backend: str) -> Server:
        if backend == "linux":
            for program in ("ping", "sshd", "puppet"):
                need(program)
            need_servers(tmp_path)
        made = Server(tmp_path / "state", free_port(), backend=backend)
        started.append(made)
        made.ready()
        return made

    yield begin
    for each in started:
        each.stop()
        command = [sys.executable, "-m", "calor", "cloud", "stop", "--state-dir", str(each.state_dir)]
        subprocess.run(command, check=True, capture_output=True)


@pytest.mark.skipif(TEMPEST is None, reason="tempest is not installed")
@pytest.mark.parametrize(
    ("backend", "chosen", "expected"),
    [
        # Few runs, since tempest takes long to begin.
        pytest.param("simulated", WITHOUT_A_CLOUD + IN_A_CLOUD, 89 + 37, id="simulated"),
        pytest.param("linux", IN_A_CLOUD + IN_SERVERS, 37 + 6, id="linux"),
    ],
)
def test_heat_tempest_plugin(
    start: Callable[[str], Server],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    backend: str,
    chosen: str,
    expected: int,
) -> None:
    assert TEMPEST is not None
    server = start(backend)
    passwords = json.loads((server.state_dir / "passwords.json").read_text())
    configuration = filled_in(
        auth_url=f"http://127.0.0.1:{server.port + 2}/identity/v3",
        password=passwords["demo"],
        admin_password=passwords["admin"],
    )

    done = run(TEMPEST, tmp_path, configuration, chosen)

    with capsys.disabled():
        print(
            f"\nheat-tempest-plugin, {backend}: {len(done.passed)} of {len(done.passed) + len(done.failed)} pass"
        )
    assert len(done.passed) + len(done.failed) == expected, done.output[-3000:]
    assert done.failed == []
