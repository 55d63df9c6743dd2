"""A server for all commands, and the command itself in this process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from calor.cli.main import main
from tests.cli.fake_service import StandIn
from tests.cli.invocation import Ran, Run
from tests.support.server import Server, free_port

INNER = """\
heat_template_version: 2018-08-31
parameters:
  broken: {type: boolean, default: false}
resources:
  deep:
    type: OS::Heat::TestResource
    properties:
      fail: {get_param: broken}
"""

OUTER = """\
heat_template_version: 2018-08-31
parameters:
  word: {type: string, default: hello}
  secs: {type: number, default: 0}
resources:
  first:
    type: OS::Heat::TestResource
    properties:
      value: {get_param: word}
      wait_secs: {get_param: secs}
  second:
    type: OS::Heat::TestResource
    depends_on: first
  inner:
    type: inner.yaml
outputs:
  said:
    description: what was said
    value: {get_attr: [first, output]}
"""

BROKEN = """\
heat_template_version: 2018-08-31
resources:
  fine: {type: OS::Heat::TestResource}
  below:
    type: inner.yaml
    properties: {broken: true}
"""


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    made = Server(tmp_path_factory.mktemp("server") / "state", free_port())
    made.ready()
    yield made
    made.stop()


@pytest.fixture
def templates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with templates in it."""
    for name, text in (("outer", OUTER), ("inner", INNER), ("broken", BROKEN)):
        (tmp_path / f"{name}.yaml").write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def clean_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that names a cloud, and no files of whoever runs the tests."""
    for name in list(os.environ):
        if name.startswith(("OS_", "HEAT_", "CALOR_")) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path))


def _ran(run: Callable[[list[str]], int], capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> Ran:
    capsys.readouterr()
    try:
        code = run(list(words))
    except SystemExit as end:
        code = int(end.code or 0)
    shown = capsys.readouterr()
    return Ran(code, shown.out, shown.err)


@pytest.fixture
def command(templates: Path, clean_environment: None, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command, about no cloud yet."""
    return lambda *words: _ran(main, capsys, words)


@pytest.fixture
def calor(server: Server, command: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command, about the embedded server."""
    monkeypatch.setenv("CALOR_STATE_DIR", str(server.state_dir))
    return command


@pytest.fixture
def service(command: Run, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    """What the command is about then; it is not logged in there."""
    made = StandIn()
    monkeypatch.setenv("HEAT_URL", made.url)
    monkeypatch.setenv("OS_NO_CLIENT_AUTH", "1")
    yield made
    made.stop()


@pytest.fixture
def heat(calor: Run, capsys: pytest.CaptureFixture[str]) -> Run:
    return lambda *words: _ran(main, capsys, ("heat", *words))


@pytest.fixture
def programs(tmp_path: Path, calor: Run, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with `calor` and `heat` as programs, which is searched first."""
    folder = tmp_path / "bin"
    folder.mkdir()
    python = f"#!{sys.executable}\nimport sys\nfrom calor.cli.main import main\nsys.exit(main())\n"
    # As docs/cli.md has it.
    for name, text in (("calor", python), ("heat", '#!/bin/sh\nexec calor heat "$@"\n')):
        file = folder / name
        file.write_text(text)
        file.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return folder


@pytest.fixture
def shell(programs: Path) -> Run:
    """A line for a shell."""

    def run(line: str) -> Ran:
        done = subprocess.run(
            ["bash", "-c", line],
            capture_output=True,
            text=True,
            timeout=60,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def stack(calor: Run, request: pytest.FixtureRequest) -> Iterator[str]:
    """A stack that is there, named after the test."""
    name = "".join(char if char.isalnum() else "-" for char in request.node.name)
    assert calor("stack", "create", "-t", "outer.yaml", name).code == 0
    yield name
    calor("stack", "delete", "--yes", "--no-wait", name)
